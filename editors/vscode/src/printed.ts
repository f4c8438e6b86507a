import * as path from 'node:path';
import * as vscode from 'vscode';
import { Client } from './client';

/**
 * The scheme of the printed text of a binary module. The path is that of the `.wasm` file and `.wat`: so the text has its language,
 * and the editor below, which takes all `.wasm`, is not asked for it when the debugger shows it.
 */
export const printedScheme = 'wasm-text';
const suffix = '.wat';

/** The document that shows a `.wasm` file as text. The debug adapter names it the same way. */
export function printedUri(file: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: printedScheme, path: file.path + suffix });
}

/** The file behind a document: itself, or the `.wasm` file whose text it is. */
export function fileOf(uri: vscode.Uri): vscode.Uri {
  return uri.scheme === printedScheme ? vscode.Uri.from({ scheme: 'file', path: uri.path.slice(0, -suffix.length) }) : uri;
}

/** Opens `.wasm` files as text: a read-only document, with all that the language server does for text. */
export function registerPrinted(context: vscode.ExtensionContext, client: Client): void {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const watcher = vscode.workspace.createFileSystemWatcher('**/*.wasm');
  const refresh = (uri: vscode.Uri) => changed.fire(printedUri(uri));
  context.subscriptions.push(
    changed,
    watcher,
    watcher.onDidChange(refresh),
    watcher.onDidCreate(refresh),
    vscode.workspace.registerTextDocumentContentProvider(printedScheme, {
      onDidChange: changed.event,
      // A text that cannot be had is a comment that says why; the custom editor below says it earlier.
      provideTextDocumentContent: uri => client.print(fileOf(uri)).catch((e: unknown) => `;; ${message(e).replace(/\n/g, '\n;; ')}\n`),
    }),
    vscode.commands.registerCommand('stackscope.openWasm', async (uri?: vscode.Uri) => {
      const file = uri ?? activeFile();
      if (file) {
        await show(file, vscode.ViewColumn.Active);
      }
    }),
    vscode.window.registerCustomEditorProvider('stackscope.wasm', {
      openCustomDocument: uri => ({ uri, dispose: () => undefined }),
      resolveCustomEditor: async (document, panel) => {
        panel.webview.html = page(`Reading ${path.basename(document.uri.path)} …`);
        try {
          await client.print(document.uri);
        } catch (e) {
          panel.webview.html = page(message(e));
          return;
        }
        const column = panel.viewColumn ?? vscode.ViewColumn.Active;
        panel.dispose();
        await show(document.uri, column);
      },
    } satisfies vscode.CustomReadonlyEditorProvider),
  );
}

/** Shows the text of a `.wasm` file. */
async function show(file: vscode.Uri, column: vscode.ViewColumn): Promise<void> {
  await vscode.window.showTextDocument(printedUri(file), { viewColumn: column, preview: false });
}

/** The file of the active tab, which for a custom editor is not the active text editor. */
function activeFile(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputCustom ? input.uri : undefined;
}

function message(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}

/** A page with nothing but a message. */
function page(text: string): string {
  const safe = text.replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`);
  return `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'"></head><body><p>${safe}</p></body></html>`;
}
