// The target, in the status bar.
"use strict";

const vscode = require("vscode");

class TargetItem {
  constructor(client) {
    this.client = client;
    this.item = vscode.window.createStatusBarItem("pto.target", vscode.StatusBarAlignment.Right, 90);
    this.item.name = "PTO target";
    this.item.command = "pto.switchTarget";
    this.item.tooltip = "The target that PTO programs are checked for";
    this.listener = vscode.window.onDidChangeActiveTextEditor(() => this.refresh());
    this.refresh();
  }

  refresh() {
    this.item.text = `$(circuit-board) ${settings().get("target") ?? "auto"}`;
    if (vscode.window.activeTextEditor?.document.languageId === "pto") this.item.show();
    else this.item.hide();
  }

  /** Lets the user choose; the setting tells the server. */
  async choose() {
    const { enum: targets } = require("../package.json").contributes.configuration.properties["pto.target"];
    const chosen = await vscode.window.showQuickPick(targets, { title: "PTO target", placeHolder: settings().get("target") });
    if (!chosen) return;
    const where = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    await settings().update("target", chosen, where);
  }

  dispose() {
    this.listener.dispose();
    this.item.dispose();
  }
}

function settings() {
  return vscode.workspace.getConfiguration("pto");
}

module.exports = { TargetItem };
