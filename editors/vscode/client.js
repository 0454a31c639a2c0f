// Starts `tickseed lsp` and hands it the files. All knowledge is in the server.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = vscode.workspace.getConfiguration("tickseed");
  const server = {
    command: settings.get("path"),
    args: ["lsp"],
    transport: TransportKind.stdio,
  };
  const documents = [{ language: "tick" }];
  if (settings.get("xml")) {
    documents.push({ language: "xml", pattern: "**/*.xml" });
  }
  client = new LanguageClient("tickseed", "Tickseed", server, {
    documentSelector: documents,
    synchronize: {
      fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{tick,xml}"),
    },
  });
  return client.start().catch((error) => {
    vscode.window.showErrorMessage(
      `Tickseed: \`${server.command} lsp\` does not start (${error.message}). ` +
        "Install the command, or set tickseed.path.",
    );
  });
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.needsStop()) {
    await old.stop();
  }
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("tickseed.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("tickseed")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
};

exports.deactivate = stop;
