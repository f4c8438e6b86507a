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

/** Returns the file of a document: itself, or the `.wasm` file whose text it shows. */
export function fileOf(uri: vscode.Uri): vscode.Uri {
  return uri.scheme === printedScheme ? vscode.Uri.from({ scheme: 'file', path: uri.path.slice(0, -suffix.length) }) : uri;
}

/**
 * The printed texts as read-only files: so VS Code opens them again with a window, which it does not with documents
 * that have no file system.
 */
class PrintedFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/*.wasm');
  /** The text that was read last: VS Code asks for the size first. */
  private last: { key: string; text: Promise<Uint8Array> } | undefined;

  constructor(private readonly client: Client) {
    const tell = (type: vscode.FileChangeType) => (file: vscode.Uri) => this.changed.fire([{ type, uri: printedUri(file) }]);
    this.watcher.onDidChange(tell(vscode.FileChangeType.Changed));
    this.watcher.onDidCreate(tell(vscode.FileChangeType.Created));
    this.watcher.onDidDelete(tell(vscode.FileChangeType.Deleted));
  }

  dispose(): void {
    this.watcher.dispose();
    this.changed.dispose();
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined }; // all are watched
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { type, ctime, mtime } = await vscode.workspace.fs.stat(fileOf(uri));
    return { type, ctime, mtime, size: (await this.readFile(uri)).length, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const file = fileOf(uri);
    const { mtime, size } = await vscode.workspace.fs.stat(file);
    const key = `${file.toString()} ${mtime} ${size}`;
    if (this.last?.key !== key) {
      this.last = { key, text: this.client.print(file).then(text => new TextEncoder().encode(text)) };
    }
    const { text } = this.last;
    return text.catch((e: unknown) => {
      this.last = undefined;
      throw vscode.FileSystemError.Unavailable(message(e));
    });
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory = readOnly;
  writeFile = readOnly;
  delete = readOnly;
  rename = readOnly;
}

function readOnly(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}

/** Opens `.wasm` files as text: a read-only document, with all that the language server does for text. */
export function registerPrinted(context: vscode.ExtensionContext, client: Client): void {
  const files = new PrintedFiles(client);
  context.subscriptions.push(
    files,
    vscode.workspace.registerFileSystemProvider(printedScheme, files, { isReadonly: true, isCaseSensitive: true }),
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
