// Where the `pto` binary is, and how it is called.
"use strict";

const vscode = require("vscode");
const os = require("node:os");
const path = require("node:path");
const { execFile } = require("node:child_process");

/** The binary that the settings name. */
function serverPath() {
  const named = vscode.workspace.getConfiguration("pto").get("server.path") || "pto";
  const expanded = named.startsWith("~/") ? path.join(os.homedir(), named.slice(2)) : named;
  const isPath = expanded.includes("/") || expanded.includes("\\");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return isPath && folder ? path.resolve(folder, expanded) : expanded;
}

async function explainMissing(command, error) {
  const settings = "Open Settings";
  const message = `The PTO language server did not start: \`${command} lsp\`: ${error?.message ?? error}. `
    + "Install it with `cargo install --path crates/pto-cli`, or set pto.server.path.";
  if ((await vscode.window.showErrorMessage(message, settings)) === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "pto.server.path");
  }
}

/** Calls `pto`; what it printed, and its exit code. */
function callPto(args, { token, cwd }) {
  return new Promise((resolve) => {
    const options = { cwd, maxBuffer: 64 << 20 };
    const child = execFile(serverPath(), ["--color", "never", ...args], options, (error, stdout, stderr) => {
      const isMissing = error && typeof error.code !== "number";
      resolve({ code: isMissing ? 2 : error?.code ?? 0, stdout, stderr: isMissing ? error.message : stderr });
    });
    token?.onCancellationRequested(() => child.kill());
  });
}

/** The target that the settings name, as arguments. */
function targetArguments() {
  const target = vscode.workspace.getConfiguration("pto").get("target");
  return target && target !== "auto" ? ["--target", target] : [];
}

module.exports = { serverPath, explainMissing, callPto, targetArguments };
