import * as path from 'node:path';
import * as vscode from 'vscode';
import { addBuild, buildsOf, compilersOf } from './build';
import { Client } from './client';

/** The languages that modules are compiled from. package.json has them, too: breakpoints, buttons, F5. */
export const compiledLanguages = new Set(['c', 'cpp', 'rust', 'kotlin', 'zig', 'typescript', 'assemblyscript', 'ocaml', 'dart', 'swift']);

/** What a source file belongs to: the program to debug, and the task that builds it. */
export interface Built {
  program: string;
  preLaunchTask?: string;
}

/** More programs than this are not looked at. */
const most = 500;

/** Finds the program that a source file was compiled into. */
export class Programs {
  constructor(private readonly client: Client, private readonly memory: vscode.Memento) {}

  /** Returns the program of a source file; undefined if there is none, or the user cancels. Asks and explains. */
  async of(document: vscode.TextDocument): Promise<Built | undefined> {
    const source = document.uri;
    if (source.scheme !== 'file') {
      void vscode.window.showErrorMessage(`stackscope: save ${path.basename(source.path)} first. A program is found by the path of its source.`);
      return undefined;
    }
    const folder = vscode.workspace.getWorkspaceFolder(source);
    const [build] = folder ? await buildsOf(folder, source) : [];
    if (build) {
      return { program: build.output, preLaunchTask: build.label };
    }
    const files = await wasmFiles(source);
    let found: vscode.Uri[] = [];
    try {
      found = (await this.client.builtFrom(source, files)).built.map(p => vscode.Uri.parse(p.uri));
    } catch (e) {
      void vscode.window.showErrorMessage(`stackscope: ${e instanceof Error ? e.message : String(e)}`);
      return undefined;
    }
    if (found.length === 0) {
      return this.explain(document, folder, files);
    }
    const program = found.length === 1 ? found[0] : await this.pick(source, found);
    return program && { program: program.fsPath };
  }

  /** Asks which of several programs is meant. The last answer, else the newest file, comes first. */
  private async pick(source: vscode.Uri, found: vscode.Uri[]): Promise<vscode.Uri | undefined> {
    const key = `program ${source.toString()}`, last = this.memory.get<string>(key);
    const items = await Promise.all(found.map(async uri => {
      const time = await vscode.workspace.fs.stat(uri).then(s => s.mtime, () => 0);
      return { label: path.basename(uri.fsPath), description: vscode.workspace.asRelativePath(uri), detail: `built ${new Date(time).toLocaleString()}`, uri, time };
    }));
    items.sort((a, b) => Number(b.uri.toString() === last) - Number(a.uri.toString() === last) || b.time - a.time);
    const picked = await vscode.window.showQuickPick(items, { title: `Programs built from ${path.basename(source.fsPath)}`, placeHolder: 'The program to debug', matchOnDescription: true });
    if (picked) {
      await this.memory.update(key, picked.uri.toString());
    }
    return picked?.uri;
  }

  /** There is no program: says why, and offers to make one or to name one. */
  private async explain(document: vscode.TextDocument, folder: vscode.WorkspaceFolder | undefined, files: vscode.Uri[]): Promise<Built | undefined> {
    const name = path.basename(document.uri.fsPath);
    const compilers = compilersOf(document);
    const task = 'Create a Build Task', choose = 'Choose a .wasm File…';
    const looked = files.length === 0
      ? 'There is no .wasm file in this folder.'
      : `${files.length === 1 ? `${vscode.workspace.asRelativePath(files[0])} was` : `${files.length} .wasm files were`} looked at. The debugging information of a program names its sources; compilers write it with an option such as -g.`;
    const offer = compilers.length > 0 && folder ? '\n\nA task can build it each time before the debugger starts.' : '';
    const choice = await vscode.window.showWarningMessage(`No WebAssembly program is built from ${name}.`, { modal: true, detail: looked + offer }, ...(offer ? [task] : []), choose);
    if (choice === task && folder) {
      const build = await addBuild(folder, document, compilers);
      return build && { program: build.output, preLaunchTask: build.label };
    }
    if (choice === choose) {
      const [picked] = await vscode.window.showOpenDialog({ title: `The program built from ${name}`, filters: { WebAssembly: ['wasm'] }, defaultUri: folder?.uri }) ?? [];
      return picked && { program: picked.fsPath };
    }
    return undefined;
  }
}

/** Returns the .wasm files that may have been built from a source: those of the workspace, or else those beside it. */
async function wasmFiles(source: vscode.Uri): Promise<vscode.Uri[]> {
  const folder = vscode.workspace.getWorkspaceFolder(source);
  const where = folder ?? vscode.Uri.joinPath(source, '..');
  // What a tool keeps for itself is a copy of the program: cargo has one in deps.
  return vscode.workspace.findFiles(new vscode.RelativePattern(where, folder ? '**/*.wasm' : '*.wasm'), '**/{node_modules,deps,.git}/**', most);
}

/** Registers the key of menus that says whether the workspace has programs, so that only there source files have a button to debug them. */
export function registerPrograms(context: vscode.ExtensionContext): void {
  const watcher = vscode.workspace.createFileSystemWatcher('**/*.wasm', false, true, false);
  const tell = async () => {
    const [any] = await vscode.workspace.findFiles('**/*.wasm', '**/{node_modules,.git}/**', 1);
    await vscode.commands.executeCommand('setContext', 'stackscope.hasPrograms', any !== undefined);
  };
  context.subscriptions.push(watcher, watcher.onDidCreate(tell), watcher.onDidDelete(tell));
  void vscode.commands.executeCommand('setContext', 'stackscope.compiledLanguages', [...compiledLanguages]);
  void tell();
}
