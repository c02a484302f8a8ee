// Files of bytecode, shown as the text they stand for.
"use strict";

const vscode = require("vscode");

/** Documents with the text of a `.ptobc` file, which the server reads. */
class TextOfBytecode {
  static SCHEME = "pto-bytecode";

  constructor(client) {
    this.client = client;
    this.changed = new vscode.EventEmitter();
    this.onDidChange = this.changed.event;
    this.watcher = vscode.workspace.createFileSystemWatcher("**/*.ptobc");
    this.watcher.onDidChange((uri) => this.changed.fire(textUri(uri)));
  }

  async provideTextDocumentContent(uri) {
    const client = this.client();
    if (!client) return "// The language server is not running.\n";
    try {
      const file = vscode.Uri.file(uri.path.replace(/\.pto$/, ""));
      const answer = await client.sendRequest("pto/textOf", { textDocument: { uri: file.toString() } });
      return typeof answer === "string" ? answer : answer.text;
    } catch (error) {
      return String(error.message ?? error).replace(/^/gm, "// ") + "\n";
    }
  }

  dispose() {
    this.watcher.dispose();
    this.changed.dispose();
  }
}

/** Opens the text instead of the bytes. */
class BytecodeEditor {
  openCustomDocument(uri) {
    return { uri, dispose() {} };
  }

  async resolveCustomEditor(document, panel) {
    const column = panel.viewColumn;
    const text = await vscode.workspace.openTextDocument(textUri(document.uri));
    await vscode.languages.setTextDocumentLanguage(text, "pto");
    panel.dispose();
    await vscode.window.showTextDocument(text, { viewColumn: column, preview: true });
  }
}

function textUri(uri) {
  return uri.with({ scheme: TextOfBytecode.SCHEME, path: `${uri.path}.pto` });
}

module.exports = { BytecodeEditor, TextOfBytecode };
