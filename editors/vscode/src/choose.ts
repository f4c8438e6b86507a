import * as path from 'node:path';
import * as vscode from 'vscode';
import { Client, Exported, Exports, WireRange } from './client';

/** What runs: an export with its arguments. Without a name, only start functions run. */
export interface Choice {
  name?: string;
  args: string[];
}

/** What is known before the user is asked. */
export interface Wish {
  name?: string;
  args?: string[];
  /** Offer the exports even if there is one that runs by default. */
  always?: boolean;
  debug: boolean;
}

type Item = vscode.QuickPickItem & { name?: string };

/** Asks which export to run, with which arguments, and remembers the answers for each file. */
export class Chooser {
  constructor(private readonly client: Client, private readonly memory: vscode.Memento) {}

  /** Returns what to run in a file, or undefined if there is nothing to run or the user cancels. */
  async choose(file: vscode.Uri, wish: Wish): Promise<Choice | undefined> {
    let has: Exports;
    try {
      has = await this.client.exports(file);
    } catch {
      return { name: wish.name, args: wish.args ?? [] }; // the program that runs it says what is wrong
    }
    if (has.script) {
      return { args: [] };
    }
    if (has.exports.length === 0) {
      if (has.start || has.errors > 0 || wish.name !== undefined) {
        return { name: wish.name, args: wish.args ?? [] };
      }
      return this.offerExport(file, has, wish);
    }
    const name = wish.name ?? await this.pick(file, has, wish);
    if (name === undefined) {
      return undefined;
    }
    const found = has.exports.find(e => e.name === name);
    if (!found || wish.args !== undefined) {
      return { name: name || undefined, args: wish.args ?? [] };
    }
    const args = await this.ask(file, found);
    return args && { name, args };
  }

  /**
   * Asks before a file with errors runs. A module with errors cannot run; of a script the commands without errors do.
   * Returns whether to go on.
   */
  async confirm(file: vscode.Uri, debug: boolean): Promise<boolean> {
    const has = await this.client.exports(file).catch(() => undefined);
    if (!has?.errors || !has.first) {
      return true;
    }
    const config = vscode.workspace.getConfiguration('stackscope', file);
    const show = 'Show Problems', anyway = debug ? 'Debug Anyway' : 'Run Anyway', always = `Always ${anyway}`;
    if (has.script && config.get<string>('onErrors') === 'run') {
      return true;
    }
    const line = has.first.range.start.line + 1;
    const choice = await vscode.window.showWarningMessage(
      `${vscode.workspace.asRelativePath(file)} has ${has.errors === 1 ? 'an error' : `${has.errors} errors`}.`,
      { modal: true, detail: `Line ${line}: ${has.first.message}${has.script ? '' : '\n\nA module with errors cannot run.'}` },
      show, ...(has.script ? [anyway, always] : []));
    if (choice === always) {
      await config.update('onErrors', 'run', vscode.ConfigurationTarget.Workspace);
    }
    if (choice === show) {
      await vscode.window.showTextDocument(file, { selection: new vscode.Range(range(has.first.range).start, range(has.first.range).start) });
      await vscode.commands.executeCommand('workbench.actions.view.problems');
    }
    return choice === anyway || choice === always;
  }

  /** Returns the export that runs; '' if only the start function does. */
  private async pick(file: vscode.Uri, has: Exports, wish: Wish): Promise<string | undefined> {
    if (has.default !== undefined && (!wish.always || has.exports.length === 1)) {
      return has.default;
    }
    const key = `export ${file.toString()}`;
    const last = this.memory.get<string>(key) ?? has.default;
    const items: Item[] = has.exports.map(e => ({
      name: e.name,
      label: e.name || '""',
      description: e.signature,
      detail: e.typeable ? undefined : 'takes a reference that cannot be typed in',
    }));
    items.sort((a, b) => Number(b.name === last) - Number(a.name === last));
    if (has.start) {
      items.push({ name: '', label: '$(debug-start) Only the start function', description: 'call no export' });
    }
    const picked = await vscode.window.showQuickPick(items, {
      title: `${wish.debug ? 'Debug' : 'Run'} ${path.basename(file.fsPath)}`,
      placeHolder: 'The export to call',
      matchOnDescription: true,
    });
    if (picked?.name) {
      await this.memory.update(key, picked.name);
    }
    return picked?.name;
  }

  /** Asks for the arguments of an export, checks them as they are typed, and remembers them. */
  private async ask(file: vscode.Uri, found: Exported): Promise<string[] | undefined> {
    if (found.params.length === 0) {
      return [];
    }
    if (!found.typeable) {
      void vscode.window.showErrorMessage(`"${found.name}" takes a reference that cannot be typed in: ${found.signature}. Export a function that makes one and calls it.`);
      return undefined;
    }
    const key = `args ${file.toString()}#${found.name}`;
    const input = vscode.window.createInputBox();
    input.title = `Arguments of ${found.name}`;
    input.prompt = `${found.signature}, separated by spaces`;
    input.placeholder = found.params.map(zero).join(' ');
    input.value = this.memory.get<string>(key) ?? '';
    input.valueSelection = [0, input.value.length];
    const check = async () => {
      const typed = input.value;
      const answer = await this.client.arguments(file, found.name, typed).catch(e => ({ args: [], problem: String(e?.message ?? e), missing: false }));
      return { typed, ...answer };
    };
    try {
      return await new Promise<string[] | undefined>(resolve => {
        input.onDidChangeValue(async () => {
          const { typed, problem, missing } = await check();
          if (typed === input.value) {
            input.validationMessage = missing ? undefined : problem; // what is missing may still be typed
          }
        });
        input.onDidAccept(async () => {
          const { typed, args, problem } = await check();
          input.validationMessage = problem;
          if (!problem) {
            await this.memory.update(key, typed);
            resolve(args);
          }
        });
        input.onDidHide(() => resolve(undefined));
        input.show();
      });
    } finally {
      input.dispose();
    }
  }

  /** For a module without exported functions: offers to export one, and continues with it. */
  private async offerExport(file: vscode.Uri, has: Exports, wish: Wish): Promise<Choice | undefined> {
    const message = `${path.basename(file.fsPath)} exports no function, so there is nothing to ${wish.debug ? 'debug' : 'run'}.`;
    if (!has.candidates?.length) {
      void vscode.window.showWarningMessage(message);
      return undefined;
    }
    const button = 'Export a Function…';
    if (await vscode.window.showWarningMessage(message, { modal: true, detail: 'An exported function can be called: (func $f (export "f") …).' }, button) !== button) {
      return undefined;
    }
    const picked = await vscode.window.showQuickPick(
      has.candidates.map(c => ({ label: c.name, description: c.signature, range: c.range })),
      { title: 'Export a Function', placeHolder: 'The function to export', matchOnDescription: true });
    if (!picked) {
      return undefined;
    }
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document, { selection: range(picked.range), preserveFocus: false });
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', file, range(picked.range), vscode.CodeActionKind.Refactor.value, 20);
    const action = actions.find(a => a.title.startsWith('Export as'));
    if (!action?.edit || !(await vscode.workspace.applyEdit(action.edit)) || !(await document.save())) {
      void vscode.window.showErrorMessage(`stackscope: ${picked.label} could not be exported.`);
      return undefined;
    }
    return this.choose(file, wish);
  }
}

/** Returns an example argument of a type. */
function zero(type: string): string {
  switch (type) {
    case 'v128':
      return '(v128.const i64x2 0 0)';
    case 'i32': case 'i64': case 'f32': case 'f64':
      return '0';
    default:
      return 'ref.null';
  }
}

/** Converts a range of the language server. */
export function range(r: WireRange): vscode.Range {
  return new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
}
