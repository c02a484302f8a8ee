// The extension: it starts the language server, and shows what the commands of `pto` write beside the editor.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverPath, explainMissing } = require("./binary");
const { PAGES, showPage, showReport } = require("./pages");
const { BytecodeEditor, TextOfBytecode } = require("./bytecode");
const { TargetItem } = require("./target");

let client;

async function activate(context) {
  const log = vscode.window.createOutputChannel("PTO");
  const target = new TargetItem(() => client);
  const text = new TextOfBytecode(() => client);
  context.subscriptions.push(log, target, text, ...commands(target, log));
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(TextOfBytecode.SCHEME, text),
    vscode.window.registerCustomEditorProvider("pto.bytecode", new BytecodeEditor()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("pto.server.path")) await restart(log);
      if (change.affectsConfiguration("pto.target")) target.refresh();
    }),
  );
  await start(log);
  // What tests of the extension ask for.
  return { client: () => client };
}

function commands(target, log) {
  const register = vscode.commands.registerCommand;
  const ofFile = (name, show) => register(name, async () => {
    const document = await currentProgram();
    if (document) await show(document, log);
  });
  return [
    ofFile("pto.runFile", (document) => showReport("run", document, log)),
    ...PAGES.map((page) => ofFile(page.command, (document) => showPage(page, document, log))),
    register("pto.switchTarget", () => target.choose()),
    register("pto.restartServer", () => restart(log)),
  ];
}

/** The program in the active editor, saved, because the commands read files. */
async function currentProgram() {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "pto") {
    vscode.window.showWarningMessage("Open a .pto file first.");
    return undefined;
  }
  if (document.isUntitled || (document.isDirty && !(await document.save()))) {
    vscode.window.showWarningMessage("Save the program first.");
    return undefined;
  }
  return document;
}

async function start(log) {
  const command = serverPath();
  const options = {
    documentSelector: [{ language: "pto" }],
    outputChannel: log,
    initializationOptions: firstSettings(),
    synchronize: { configurationSection: "pto" },
    middleware: { executeCommand: executeServerCommand(log) },
  };
  client = new LanguageClient("pto", "PTO", { command, args: ["lsp"] }, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    await explainMissing(command, error);
  }
}

/** What the server knows before it asks. The reports of commands are shown by the extension, not as messages. */
function firstSettings() {
  const settings = vscode.workspace.getConfiguration("pto");
  const named = ["target", "onSave", "onSaveSeconds", "hints"].map((name) => [name, settings.get(name)]);
  return { ...Object.fromEntries(named), showReports: false };
}

/** Code lenses call commands of the server, whose answer is a report. */
function executeServerCommand(log) {
  return async (command, args, next) => {
    const answer = await next(command, args);
    if (typeof answer === "string" && command !== "pto.target") {
      log.replace(answer);
      log.show(true);
    }
    return answer;
  };
}

async function restart(log) {
  await deactivate();
  await start(log);
}

async function deactivate() {
  const old = client;
  client = undefined;
  await old?.stop();
}

module.exports = { activate, deactivate };
