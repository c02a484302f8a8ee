// The extension in a real editor: the package code-server has VS Code with a page as its window, which Chromium opens here.
// `test/prepare-editor` installs what it needs beside a browser; PTO names the binary `pto`.
"use strict";

const test = require("node:test");
const assert = require("node:assert");
const { existsSync } = require("node:fs");
const fs = require("node:fs/promises");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const { execFileSync, spawn } = require("node:child_process");

const root = path.join(__dirname, "..");
const EDITOR = "code-server/lib/vscode/out/server-main.js";
const BROWSER = process.env.PTO_BROWSER ?? "/usr/bin/chromium";

/** What is missing for this test. */
function missing() {
  const find = (name) => {
    try {
      return require.resolve(name);
    } catch {
      return undefined;
    }
  };
  if (!process.env.PTO) return "set PTO to the binary `pto`";
  if (!find(EDITOR)) return "code-server is not installed: test/prepare-editor";
  if (!find("puppeteer-core")) return "puppeteer-core is not installed: test/prepare-editor";
  if (!existsSync(BROWSER)) return `there is no ${BROWSER}: set PTO_BROWSER`;
  return false;
}

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function workspace(pto) {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "pto-editor-"));
  const machine = path.join(folder, "server", "data", "Machine");
  await fs.mkdir(machine, { recursive: true });
  const settings = JSON.stringify({ "pto.server.path": pto, "security.workspace.trust.enabled": false });
  await fs.writeFile(path.join(machine, "settings.json"), settings);
  await fs.mkdir(path.join(folder, "programs"));
  const source = path.join(root, "..", "..", "examples", "vector_add.pto");
  execFileSync(pto, ["emit", "bytecode", source, "-o", path.join(folder, "programs", "program.ptobc")]);
  return { folder, data: path.join(folder, "server"), programs: path.join(folder, "programs") };
}

async function started(port, server) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (server.exitCode !== null) throw new Error("the editor has stopped");
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the editor does not answer");
}

/** Opens the editor in a browser, which runs the suite; its messages and its exit code. */
async function runSuite(port, programs) {
  const puppeteer = require("puppeteer-core");
  const browser = await puppeteer.launch({ executablePath: BROWSER, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1400, height: 900 });
    const log = [];
    const exit = new Promise((resolve) => {
      page.exposeFunction("codeAutomationExit", resolve);
    });
    await page.exposeFunction("codeAutomationLog", (_, args) => log.push(args.map(String).join(" ")));
    if (process.env.PTO_LOG) page.on("console", (message) => console.log(message.text()));
    const remote = (file) => `vscode-remote://127.0.0.1:${port}${file}`;
    const payload = [
      ["extensionDevelopmentPath", remote(root)],
      ["extensionTestsPath", remote(path.join(__dirname, "editor", "suite.js"))],
      ["skipWelcome", "true"],
    ];
    const address = `http://127.0.0.1:${port}/?folder=${programs}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
    await page.goto(address);
    const late = new Promise((resolve) => setTimeout(resolve, 240_000, "late"));
    const code = await Promise.race([exit, late]);
    if (process.env.PTO_SCREENSHOT) await page.screenshot({ path: process.env.PTO_SCREENSHOT });
    return { code, log };
  } finally {
    await browser.close();
  }
}

test("the extension works in a real editor", { skip: missing() }, async () => {
  const pto = path.resolve(process.env.PTO);
  const { folder, data, programs } = await workspace(pto);
  const port = await freePort();
  const args = ["--host", "127.0.0.1", "--port", String(port), "--server-data-dir", data, "--telemetry-level", "off"];
  args.push("--without-connection-token", "--accept-server-license-terms");
  const env = { ...process.env, PTO_TEST_FOLDER: programs };
  const server = spawn(process.execPath, [require.resolve(EDITOR), ...args], { env, stdio: "ignore", detached: true });
  try {
    await started(port, server);
    const { code, log } = await runSuite(port, programs);
    const lines = log.filter((line) => /^(passed|failed):/.test(line));
    console.log(lines.join("\n"));
    assert.strictEqual(code, 0, log.slice(-20).join("\n"));
  } finally {
    process.kill(-server.pid);
    await fs.rm(folder, { recursive: true, force: true });
  }
});
