// The grammar colours what it should, in all forms of the text.
"use strict";

const test = require("node:test");
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { Registry } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

const root = path.join(__dirname, "..");
const repository = path.join(root, "..", "..");

async function loadGrammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer;
  await oniguruma.loadWASM(wasm);
  const onigLib = Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  });
  const file = path.join(root, "syntaxes", "pto.tmLanguage.json");
  const registry = new Registry({ onigLib, loadGrammar: async () => JSON.parse(fs.readFileSync(file, "utf8")) });
  return registry.loadGrammar("source.pto");
}

const grammar = loadGrammar();

/** The pieces of a text with their innermost scopes. */
async function scopes(text) {
  const loaded = await grammar;
  let stack = null;
  return text.split("\n").flatMap((line) => {
    const { tokens, ruleStack } = loaded.tokenizeLine(line, stack);
    stack = ruleStack;
    return tokens.map((token) => [line.slice(token.startIndex, token.endIndex), token.scopes.at(-1)]);
  });
}

async function assertScope(line, piece, scope) {
  const found = (await scopes(line)).filter(([text]) => text.trim() === piece);
  assert.ok(found.some(([, is]) => is.startsWith(scope)), `${line}: ${piece} is ${JSON.stringify(found)}, not ${scope}`);
}

const OPERATION = "entity.name.function.operation";

test("an operation is one in all four forms", async () => {
  await assertScope("%d = tmax %a, %b : !tile", "tmax", OPERATION);
  await assertScope("%d = pto.tmax %a, %b : (!tile, !tile) -> !tile", "tmax", OPERATION);
  await assertScope("pto.tmax ins(%a, %b : !tile, !tile) outs(%d : !tile)", "tmax", OPERATION);
  await assertScope("tmax ins(%a, %b) outs(%d)", "tmax", OPERATION);
  await assertScope('"pto.tmax"(%a, %b, %d) : (!tile, !tile, !tile) -> ()', "pto.tmax", OPERATION);
  await assertScope("pto.tmatmul.acc ins(%s, %a, %b) outs(%s)", "tmatmul.acc", OPERATION);
});

test("values, symbols, blocks and aliases", async () => {
  await assertScope("%c-1_i32 = arith.constant -1 : i32", "%c-1_i32", "variable.other");
  await assertScope("%r:2 = scf.if %c -> (i32, i32) {", ":2", "constant.numeric.index");
  await assertScope("func.func private @halved(%n: index) -> index {", "@halved", "entity.name.function");
  await assertScope("func.func private @halved(%n: index) -> index {", "private", "storage.modifier");
  await assertScope("cf.br ^body(%i : index)", "^body", "entity.name.label");
  await assertScope("!tile = !pto.tile_buf<vec, 16x16xf32>", "!tile", "entity.name.type.alias");
});

test("types and attributes", async () => {
  const line = "%t = pto.alloc_tile : !pto.tile_buf<vec, 16x?xbf16, blayout=col_major, pad=#pto.pad_value<Null>>";
  await assertScope(line, "!pto.tile_buf", "storage.type");
  await assertScope(line, "16x?", "constant.numeric.shape");
  await assertScope(line, "bf16", "storage.type.element");
  await assertScope(line, "col_major", "constant.language");
  await assertScope(line, "#pto.pad_value", "support.type.attribute");
  await assertScope("%a = memref.alloc() : memref<4x8xf8E4M3FN>", "f8E4M3FN", "storage.type.element");
  await assertScope("pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]", "PIPE_V", "constant.language");
});

test("numbers, strings, comments and locations", async () => {
  await assertScope("%e = arith.constant 0x7F800000 : f32 // infinity", "0x7F800000", "constant.numeric.hex");
  await assertScope("%d = arith.constant -1.5e-3 : f16", "-1.5e-3", "constant.numeric.float");
  await assertScope("# a comment", "# a comment", "comment.line");
  await assertScope("#loc1 = loc(\"kernel.py\":12:3)", "#loc1", "entity.name.type.alias");
  await assertScope("return loc(fused[\"a\"(\"k.py\":1:2), #loc1])", "loc", "keyword.other.location");
  await assertScope("module attributes {pto.target_arch = \"a5\"} {", "pto.target_arch", "variable.parameter");
});

test("every statement of the examples is coloured to its end", async () => {
  const folder = path.join(repository, "examples");
  const programs = fs.readdirSync(folder).filter((name) => name.endsWith(".pto"));
  assert.ok(programs.length >= 10);
  for (const name of programs) {
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    for (const [piece, scope] of await scopes(text)) {
      const isPlain = scope === "source.pto" && piece.trim() !== "";
      assert.ok(!isPlain, `${name}: \`${piece}\` has no colour`);
    }
    // Nothing is left open at the end: the line behind it begins afresh.
    assert.deepStrictEqual((await scopes(`${text}\nreturn`)).at(-1), ["return", "keyword.control.pto"], name);
  }
});
