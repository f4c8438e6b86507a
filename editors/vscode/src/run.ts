import * as path from 'node:path';
import * as vscode from 'vscode';
import { activeDocument } from './active';
import { checkedProgram } from './binaries';
import { Chooser, Wish } from './choose';
import { WirePosition, WireRange } from './client';
import { Built, compiledLanguages, Programs } from './compiled';
import { wishKey } from './debug';
import { fileOf } from './printed';

/** The document that a command is for: that of a lens or button, else the open one. */
type From = string | vscode.Uri | undefined;

/** Registers the commands of the Run and Debug lenses and buttons. */
export function registerRun(context: vscode.ExtensionContext, chooser: Chooser, programs: Programs): void {
  const register = (command: string, f: (from: From, name?: string) => Promise<void>) =>
    context.subscriptions.push(vscode.commands.registerCommand(command, f));
  register('stackscope.run', (from, name) => run(context, chooser, programs, from, { name, always: true, debug: false }));
  register('stackscope.debug', (from, name) => debug(programs, from, { name, always: true, debug: true }));
  register('stackscope.runFile', from => run(context, chooser, programs, from, { debug: false }));
  register('stackscope.debugFile', from => debug(programs, from, { debug: true }));
  context.subscriptions.push(vscode.commands.registerCommand('stackscope.references', showReferences));
}

/** Shows the places that a reference lens counts. */
function showReferences(uri: string, at: WirePosition, places: { uri: string; range: WireRange }[]): Thenable<unknown> {
  const position = (p: WirePosition) => new vscode.Position(p.line, p.character);
  const locations = places.map(l => new vscode.Location(vscode.Uri.parse(l.uri), new vscode.Range(position(l.range.start), position(l.range.end))));
  return vscode.commands.executeCommand('editor.action.showReferences', vscode.Uri.parse(uri), position(at), locations);
}

/** Returns the file to run, saved. */
async function saved(from: From): Promise<vscode.Uri | undefined> {
  let uri = from instanceof vscode.Uri ? from : from ? vscode.Uri.parse(from) : activeDocument()?.uri;
  if (!uri) {
    void vscode.window.showInformationMessage('Open a .wat, .wast or .wasm file first.');
    return undefined;
  }
  const open = vscode.workspace.textDocuments.find(d => d.uri.toString() === uri?.toString());
  if (open?.isDirty || uri.scheme === 'untitled') {
    uri = await vscode.workspace.save(uri);
  }
  return uri && fileOf(uri);
}

/** Returns the program of the document that a command is for: its file, or what is built from it. */
async function program(programs: Programs, from: From): Promise<Built | undefined> {
  const uri = await saved(from);
  if (!uri) {
    return undefined;
  }
  const document = vscode.workspace.textDocuments.find(d => d.uri.toString() === uri.toString());
  return document && compiledLanguages.has(document.languageId) ? programs.of(document) : { program: uri.fsPath };
}

async function run(context: vscode.ExtensionContext, chooser: Chooser, programs: Programs, from: From, wish: Wish): Promise<void> {
  const built = await program(programs, from), uri = built && vscode.Uri.file(built.program);
  const what = uri && await chooser.confirm(uri, false) && await chooser.choose(uri, wish);
  const command = what && await checkedProgram(context, 'wasm-dap');
  if (!uri || !what || !command) {
    return;
  }
  const file = uri.fsPath, cwd = path.dirname(file), base = path.basename(file);
  const args = base.endsWith('.wast') ? ['test', '-v', base] : ['run', ...(what.name ? ['--invoke', what.name] : []), base, ...what.args];
  const title = what.name ? `${base}: ${what.name}` : base;
  const task = new vscode.Task({ type: 'stackscope', args }, vscode.TaskScope.Workspace, title, 'stackscope',
    new vscode.ProcessExecution(command, args, { cwd }));
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, panel: vscode.TaskPanelKind.Shared };
  await vscode.tasks.executeTask(task);
}

async function debug(programs: Programs, from: From, wish: Wish): Promise<void> {
  const built = await program(programs, from);
  if (!built) {
    return;
  }
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(vscode.Uri.file(built.program)), {
    type: 'wasm',
    request: 'launch',
    name: `Debug ${wish.name ?? path.basename(built.program)}`,
    ...built,
    ...(wish.name === undefined ? {} : { invoke: wish.name }),
    [wishKey]: wish.always === true,
  });
}
