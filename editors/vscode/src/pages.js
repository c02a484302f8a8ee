// The pages and reports that the commands of `pto` write, beside the editor.
"use strict";

const vscode = require("vscode");
const fs = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");
const { callPto, targetArguments } = require("./binary");

/** Commands that write a page. */
const PAGES = [
  { command: "pto.raceFile", verb: "race", title: "Races" },
  { command: "pto.perfFile", verb: "perf", title: "Timeline" },
  { command: "pto.planFile", verb: "plan", title: "Memory" },
  { command: "pto.viewFile", verb: "view", title: "Run" },
];

const panels = new Map();

async function showPage({ verb, title }, document, log) {
  const file = document.uri.fsPath;
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "pto-"));
  try {
    const page = path.join(folder, "page.html");
    const done = await call(verb, [file, "--html", page], document);
    if (!done) return;
    const html = await fs.readFile(page, "utf8").catch(() => undefined);
    if (html === undefined) return report(done, log);
    const name = `${title}: ${path.basename(file)}`;
    panel(`${verb} ${file}`, name).webview.html = html;
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

async function showReport(verb, document, log) {
  const done = await call(verb, [document.uri.fsPath], document);
  if (done) report(done, log);
}

/** Runs a command with a progress message; nothing if it was cancelled. */
function call(verb, args, document) {
  const options = { location: vscode.ProgressLocation.Notification, title: `pto ${verb}`, cancellable: true };
  const cwd = path.dirname(document.uri.fsPath);
  return vscode.window.withProgress(options, async (_, token) => {
    const done = await callPto([verb, ...args, ...targetArguments()], { token, cwd });
    return token.isCancellationRequested ? undefined : done;
  });
}

function report({ stdout, stderr }, log) {
  log.replace(`${stderr}${stdout}`);
  log.show(true);
}

/** One panel for each page of each file: asking again brings it up to date. */
function panel(key, title) {
  const known = panels.get(key);
  if (known) {
    known.reveal(undefined, true);
    return known;
  }
  const options = { enableScripts: true, retainContextWhenHidden: true };
  const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
  const made = vscode.window.createWebviewPanel("pto.page", title, column, options);
  made.onDidDispose(() => panels.delete(key));
  panels.set(key, made);
  return made;
}

module.exports = { PAGES, showPage, showReport };
