import * as vscode from 'vscode';

/** Registers the commands of the walkthrough that open an example: a copy that the user can change. */
export function registerExamples(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.commands.registerCommand('stackscope.openExample', () => openExample(context, 'generator.wat')),
    vscode.commands.registerCommand('stackscope.openExampleScript', () => openExample(context, 'generator.wast')),
  );
}

/** Opens the user's copy of an example. Examples use each other, so all that are missing are copied. */
async function openExample(context: vscode.ExtensionContext, name: string): Promise<void> {
  const from = vscode.Uri.joinPath(context.extensionUri, 'examples'), folder = vscode.Uri.joinPath(context.globalStorageUri, 'examples');
  await vscode.workspace.fs.createDirectory(folder);
  for (const [file] of await vscode.workspace.fs.readDirectory(from)) {
    const copy = vscode.Uri.joinPath(folder, file);
    if (!(await vscode.workspace.fs.stat(copy).then(() => true, () => false))) {
      await vscode.workspace.fs.copy(vscode.Uri.joinPath(from, file), copy);
    }
  }
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, name), { preview: false });
}
