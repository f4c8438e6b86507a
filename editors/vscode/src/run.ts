import * as path from 'node:path';
import * as vscode from 'vscode';
import { checkedProgram } from './binaries';
import { fileOf } from './printed';

/** Registers the commands behind the Run and Debug lenses and buttons. */
export function registerRun(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.commands.registerCommand('stackscope.run', (uri?: string | vscode.Uri, name?: string, params?: string[]) => run(context, uri, name, params)),
    vscode.commands.registerCommand('stackscope.debug', (uri?: string | vscode.Uri, name?: string, params?: string[]) => debug(uri, name, params)),
    vscode.commands.registerCommand('stackscope.references', showReferences),
  );
}

interface WirePosition {
  line: number;
  character: number;
}

/** Shows the places behind a lens that counts references. */
function showReferences(uri: string, at: WirePosition, places: { uri: string; range: { start: WirePosition; end: WirePosition } }[]): Thenable<unknown> {
  const position = (p: WirePosition) => new vscode.Position(p.line, p.character);
  const locations = places.map(l => new vscode.Location(vscode.Uri.parse(l.uri), new vscode.Range(position(l.range.start), position(l.range.end))));
  return vscode.commands.executeCommand('editor.action.showReferences', vscode.Uri.parse(uri), position(at), locations);
}

/** Arguments that were typed last, by file and export. */
const remembered = new Map<string, string>();

interface Target {
  file: string;
  name?: string;
  args: string[];
}

/** What to run: from the lens, or the open file. Saves it first and asks for arguments if there are parameters. */
async function target(from: string | vscode.Uri | undefined, name?: string, params?: string[]): Promise<Target | undefined> {
  const uri = from instanceof vscode.Uri ? from : from ? vscode.Uri.parse(from) : vscode.window.activeTextEditor?.document.uri;
  if (!uri) {
    void vscode.window.showInformationMessage('Open a .wat, .wast or .wasm file first.');
    return undefined;
  }
  const open = vscode.workspace.textDocuments.find(d => d.uri.toString() === uri.toString());
  if (open?.isDirty && !(await open.save())) {
    return undefined;
  }
  let args: string[] = [];
  if (params?.length) {
    const key = `${uri}#${name}`;
    const typed = await vscode.window.showInputBox({
      title: `Arguments of ${name}`,
      prompt: `${params.join(' ')}, separated by blanks`,
      placeHolder: params.map(() => '0').join(' '),
      value: remembered.get(key),
    });
    if (typed === undefined) {
      return undefined;
    }
    remembered.set(key, typed);
    args = typed.split(/\s+/).filter(Boolean);
  }
  return { file: fileOf(uri).fsPath, name, args };
}

async function run(context: vscode.ExtensionContext, uri?: string | vscode.Uri, name?: string, params?: string[]): Promise<void> {
  const what = await target(uri, name, params);
  const command = what && (await checkedProgram(context, 'wasm-dap'));
  if (!what || !command) {
    return;
  }
  const args = what.file.endsWith('.wast') ? ['test', '-v', what.file] : ['run', ...(what.name ? ['--invoke', what.name] : []), what.file, ...what.args];
  const title = what.name ? `${path.basename(what.file)}: ${what.name}` : path.basename(what.file);
  const task = new vscode.Task({ type: 'stackscope', args }, vscode.TaskScope.Workspace, title, 'stackscope',
    new vscode.ProcessExecution(command, args, { cwd: path.dirname(what.file) }));
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, panel: vscode.TaskPanelKind.Dedicated };
  await vscode.tasks.executeTask(task);
}

async function debug(uri?: string | vscode.Uri, name?: string, params?: string[]): Promise<void> {
  const what = await target(uri, name, params);
  if (!what) {
    return;
  }
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(what.file));
  await vscode.debug.startDebugging(folder, {
    type: 'wasm',
    request: 'launch',
    name: what.name ? `Debug ${what.name}` : `Debug ${path.basename(what.file)}`,
    program: what.file,
    ...(what.name ? { invoke: what.name } : {}),
    ...(what.args.length ? { args: what.args } : {}),
  });
}
