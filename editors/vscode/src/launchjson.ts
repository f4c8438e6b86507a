import * as path from 'node:path';
import * as jsonc from 'jsonc-parser';
import * as vscode from 'vscode';
import { Client } from './client';

/** Registers completion in launch.json: the exports of the program for `invoke`. */
export function registerLaunchJson(context: vscode.ExtensionContext, client: Client): void {
  context.subscriptions.push(vscode.languages.registerCompletionItemProvider(
    [{ language: 'jsonc', pattern: '**/.vscode/launch.json' }, { language: 'json', pattern: '**/.vscode/launch.json' }, { pattern: '**/*.code-workspace' }],
    { provideCompletionItems: (document, position) => complete(client, document, position) },
    '"'));
}

async function complete(client: Client, document: vscode.TextDocument, position: vscode.Position): Promise<vscode.CompletionItem[]> {
  const text = document.getText(), offset = document.offsetAt(position);
  const at = jsonc.getLocation(text, offset);
  if (at.path.at(-1) !== 'invoke' || at.isAtPropertyKey) {
    return [];
  }
  const root = jsonc.parseTree(text, [], { allowTrailingComma: true });
  const around = root && jsonc.findNodeAtLocation(root, at.path.slice(0, -1));
  const config = around && jsonc.getNodeValue(around) as Partial<vscode.DebugConfiguration>;
  if (config?.type !== 'wasm' || typeof config.program !== 'string') {
    return [];
  }
  const file = programFile(config.program, document.uri);
  if (!file) {
    return [];
  }
  const { exports } = await client.exports(file).catch(() => ({ exports: [] }));
  const old = at.previousNode && at.previousNode.type === 'string' && at.previousNode.offset <= offset && offset <= at.previousNode.offset + at.previousNode.length ? at.previousNode : undefined;
  const range = old ? new vscode.Range(document.positionAt(old.offset), document.positionAt(old.offset + old.length)) : new vscode.Range(position, position);
  return exports.map((e, i) => {
    const item = new vscode.CompletionItem({ label: e.name || '""', description: e.signature }, vscode.CompletionItemKind.Function);
    item.insertText = item.filterText = JSON.stringify(e.name);
    item.range = range;
    item.detail = `(func (export ${JSON.stringify(e.name)})${e.signature && ' ' + e.signature})`;
    item.documentation = `An exported function of ${path.basename(file.fsPath)}.${e.params.length ? ` Its arguments go into "args".` : ''}`;
    item.sortText = String(i).padStart(6, '0');
    return item;
  });
}

/** Returns the file that a configuration names, if its variables can be substituted without starting it. */
function programFile(program: string, launch: vscode.Uri): vscode.Uri | undefined {
  const folder = vscode.workspace.getWorkspaceFolder(launch)?.uri.fsPath ?? path.dirname(path.dirname(launch.fsPath));
  const open = vscode.window.visibleTextEditors.map(e => e.document).find(d => d.languageId === 'wat');
  const known: Record<string, string | undefined> = {
    workspaceFolder: folder,
    file: open?.uri.fsPath,
    relativeFile: open?.uri.fsPath,
    fileDirname: open && path.dirname(open.uri.fsPath),
  };
  let unknown = false;
  const name = program.replace(/\$\{([^}]*)\}/g, (_, variable: string) => {
    const value = known[variable];
    unknown ||= value === undefined;
    return value ?? '';
  });
  return unknown ? undefined : vscode.Uri.file(path.resolve(folder, name));
}
