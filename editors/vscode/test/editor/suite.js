// Runs inside of the editor: what a user sees of the extension, through the interface of the editor.
"use strict";

const vscode = require("vscode");
const assert = require("node:assert");
const fs = require("node:fs/promises");
const path = require("node:path");

const FOLDER = process.env.PTO_TEST_FOLDER;

const GOOD = `!tile = !pto.tile_buf<vec, 16x16xf32>
!matrix = !pto.tensor_view<16x16xf32>

func.func @double(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {
  %one = arith.constant 1 : index
  %n = arith.constant 16 : index
  %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !matrix
  %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !matrix
  %t = pto.alloc_tile : !tile
  pto.tload ins(%xs) outs(%t)
  pto.tadd ins(%t, %t) outs(%t)
  pto.tstore ins(%t) outs(%ys)
  return
}
`;

async function open(name, text) {
  const file = vscode.Uri.file(path.join(FOLDER, name));
  await fs.writeFile(file.fsPath, text);
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(document);
  return document;
}

/** Waits until a question has an answer that will do. */
async function eventually(what, ask, seconds = 30) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const positionOf = (document, text, skip = 0) => document.positionAt(document.getText().indexOf(text) + skip);
const ask = (provider, ...args) => vscode.commands.executeCommand(`vscode.execute${provider}`, ...args);

async function replace(document, from, to) {
  const edit = new vscode.WorkspaceEdit();
  const start = document.getText().indexOf(from);
  edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(start + from.length)), to);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

const tests = {
  async "a problem appears while typing, and goes"() {
    const document = await open("problem.pto", GOOD);
    const problems = () => vscode.languages.getDiagnostics(document.uri).filter((d) => d.severity === 0);
    await replace(document, "pto.tadd ins(%t, %t)", "pto.tadd ins(%t, %nothing)");
    const [problem] = await eventually("a problem", () => problems().length > 0 && problems());
    assert.match(problem.message, /%nothing/);
    assert.strictEqual(problem.range.start.line, 10);
    await replace(document, "%nothing", "%t");
    await eventually("no problem", () => problems().length === 0);
  },

  async "hover shows the instruction"() {
    const document = await open("hover.pto", GOOD);
    const at = positionOf(document, "tadd", 1);
    const [hover] = await eventually("hover", async () => {
      const hovers = await ask("HoverProvider", document.uri, at);
      return hovers.length > 0 && hovers;
    });
    assert.match(hover.contents.map((c) => c.value ?? c).join("\n"), /tadd/i);
  },

  async "completion offers instructions"() {
    const document = await open("completion.pto", GOOD.replace("  return", "  pto.tma\n  return"));
    const at = positionOf(document, "pto.tma", 7);
    const list = await ask("CompletionItemProvider", document.uri, at);
    const labels = list.items.map((item) => item.label.label ?? item.label);
    assert.ok(labels.some((label) => label.includes("tmax")), labels.slice(0, 10).join(", "));
  },

  async "a value is found, and gets a new name"() {
    const document = await open("rename.pto", GOOD);
    const use = positionOf(document, "outs(%t)", 6);
    const [definition] = await ask("DefinitionProvider", document.uri, use);
    assert.strictEqual((definition.range ?? definition.targetRange).start.line, 8);
    const references = await ask("ReferenceProvider", document.uri, use);
    assert.ok(references.length >= 5);
    const edit = await ask("DocumentRenameProvider", document.uri, use, "sum");
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(document.getText().includes("pto.tadd ins(%sum, %sum) outs(%sum)"));
  },

  async "a program is formatted"() {
    const document = await open("format.pto", GOOD.replace("  pto.tadd ins(%t, %t)", "pto.tadd   ins( %t,%t )"));
    const edits = await ask("FormatDocumentProvider", document.uri, { tabSize: 2, insertSpaces: true });
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, edits);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.strictEqual(document.getText(), GOOD);
  },

  async "the outline has the function"() {
    const document = await open("outline.pto", GOOD);
    const symbols = await ask("DocumentSymbolProvider", document.uri);
    assert.ok(symbols.some((symbol) => symbol.name.includes("double")));
  },

  async "hints and colours come from the server"() {
    const document = await open("hints.pto", GOOD);
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    await eventually("hints", async () => (await ask("InlayHintProvider", document.uri, all)).length > 0);
    const tokens = await vscode.commands.executeCommand("vscode.provideDocumentSemanticTokens", document.uri);
    assert.ok(tokens.data.length > 0);
  },

  async "pages open beside the program"() {
    const document = await open("page.pto", GOOD);
    for (const [command, title] of [["perf", "Timeline"], ["plan", "Memory"], ["race", "Races"], ["view", "Run"]]) {
      await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
      await vscode.commands.executeCommand(`pto.${command}File`);
      const labels = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.label));
      await eventually(`the page of ${command}`, () => labels().includes(`${title}: page.pto`));
    }
  },

  async "the target is switched"() {
    const document = await open("target.pto", GOOD);
    await vscode.workspace.getConfiguration("pto").update("target", "a5", vscode.ConfigurationTarget.Workspace);
    const at = positionOf(document, "tadd", 1);
    await eventually("the other target", async () => {
      const hovers = await ask("HoverProvider", document.uri, at);
      return hovers.some((hover) => hover.contents.some((c) => (c.value ?? c).includes("a5")));
    });
  },

  async "bytecode opens as text"() {
    const file = vscode.Uri.file(path.join(FOLDER, "program.ptobc"));
    await vscode.commands.executeCommand("vscode.open", file);
    const shown = await eventually("the text", () => {
      const document = vscode.window.activeTextEditor?.document;
      return document?.uri.scheme === "pto-bytecode" && document;
    });
    assert.match(shown.getText(), /tadd/);
    assert.strictEqual(shown.languageId, "pto");
  },
};

exports.run = async () => {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`passed: ${name}`);
    } catch (error) {
      failed += 1;
      console.error(`failed: ${name}: ${error.stack ?? error}`);
    }
  }
  if (failed > 0) throw new Error(`${failed} failed`);
};
