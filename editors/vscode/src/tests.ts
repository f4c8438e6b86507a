import { spawn } from 'node:child_process';
import * as path from 'node:path';
import * as readline from 'node:readline';
import * as vscode from 'vscode';
import { checkedProgram } from './binaries';

// The Test Explorer: a script (.wast) is a suite, a command of it that asserts or calls something is a test. `wasm-dap test` lists
// and runs them and writes a line of JSON for each (docs/reference/commands.md).

/** A line of `wasm-dap test --format json`; lines and columns count from 1. */
interface Line {
  line: number;
  col: number;
  endLine: number;
  endCol: number;
  kind: string;
  title: string;
  ok?: boolean;
  ns?: number;
  message?: string;
  expected?: string;
  actual?: string;
  backtrace?: string;
  passed?: number;
  failed?: number;
}

/** The number of scripts to look for. An open script is always listed. */
const mostScripts = 2000;
/** With more selected commands, the whole script runs. */
const mostLines = 100;
/** The key of a launch configuration with the tests that a debug session runs. */
const runKey = '__stackscopeTests';

const idOf = (l: { line: number; col: number }) => `${l.line}:${l.col}`;
const isTest = (kind: string) => kind.startsWith('assert_') || kind === 'invoke' || kind === 'get';
const isScript = (uri: vscode.Uri) => uri.scheme === 'file' && uri.path.endsWith('.wast');

/** Registers the Test Explorer for scripts, and the commands of the lenses in scripts. */
export function registerTests(context: vscode.ExtensionContext): void {
  const tests = new Tests(context);
  context.subscriptions.push(
    tests,
    vscode.commands.registerCommand('stackscope.runScriptCommand', (uri: string, line: number) => tests.runLine(vscode.Uri.parse(uri), line, false)),
    vscode.commands.registerCommand('stackscope.debugScriptCommand', (uri: string, line: number) => tests.runLine(vscode.Uri.parse(uri), line, true)),
  );
}

class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('stackscope', 'WebAssembly scripts');
  private readonly disposables: vscode.Disposable[] = [this.controller];
  /** The results of debug sessions, by the key in their configuration. */
  private readonly said = new Map<string, { failed?: number; text: string }>();
  private sessions = 0;

  constructor(private readonly context: vscode.ExtensionContext) {
    this.controller.resolveHandler = item => (item ? this.load(item) : this.find());
    this.controller.refreshHandler = () => this.find();
    this.controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
    this.controller.createRunProfile('Debug', vscode.TestRunProfileKind.Debug, (request, token) => this.debug(request, token), true);
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.wast');
    const reload = (uri: vscode.Uri) => {
      const item = this.controller.items.get(uri.toString());
      return item ? this.load(item) : undefined;
    };
    this.disposables.push(
      watcher,
      watcher.onDidCreate(uri => this.add(uri)),
      watcher.onDidChange(reload),
      watcher.onDidDelete(uri => this.controller.items.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument(d => this.opened(d)),
      vscode.workspace.onDidSaveTextDocument(d => reload(d.uri)),
      vscode.debug.registerDebugAdapterTrackerFactory('wasm', { createDebugAdapterTracker: session => this.tracker(session) }),
    );
    vscode.workspace.textDocuments.forEach(d => this.opened(d));
  }

  dispose(): void {
    this.disposables.forEach(d => d.dispose());
  }

  private opened(d: vscode.TextDocument): void {
    if (isScript(d.uri)) {
      void this.load(this.add(d.uri));
    }
  }

  private add(uri: vscode.Uri): vscode.TestItem {
    const known = this.controller.items.get(uri.toString());
    if (known) {
      return known;
    }
    const item = this.controller.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
    item.canResolveChildren = true;
    this.controller.items.add(item);
    return item;
  }

  private async find(): Promise<void> {
    for (const uri of await vscode.workspace.findFiles('**/*.wast', '**/{node_modules,.git}/**', mostScripts)) {
      this.add(uri);
    }
  }

  /** Lists the commands of a script as it is on disk. */
  private async load(item: vscode.TestItem): Promise<void> {
    const lines: Line[] = [];
    const end = await this.program(['--list', item.uri!.fsPath], l => lines.push(l), undefined);
    item.error = end.code === 0 ? undefined : end.stderr;
    item.children.replace(lines.filter(l => isTest(l.kind)).map((l, i) => {
      const test = this.controller.createTestItem(idOf(l), l.title, item.uri);
      test.range = new vscode.Range(l.line - 1, l.col - 1, l.endLine - 1, l.endCol - 1);
      test.sortText = String(i).padStart(7, '0');
      return test;
    }));
    this.loaded.add(item);
  }
  private readonly loaded = new WeakSet<vscode.TestItem>();

  /** Runs `wasm-dap test --format json` and forwards its lines. */
  private async program(args: string[], line: (l: Line) => void, token: vscode.CancellationToken | undefined): Promise<{ code: number | null; stderr: string }> {
    const command = await checkedProgram(this.context, 'wasm-dap');
    if (!command) {
      return { code: 2, stderr: 'wasm-dap does not run here' };
    }
    const child = spawn(command, ['test', '--format', 'json', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const cancel = token?.onCancellationRequested(() => child.kill());
    let stderr = '';
    child.stderr.on('data', chunk => (stderr = (stderr + String(chunk)).slice(-100_000)));
    const read = readline.createInterface({ input: child.stdout });
    read.on('line', text => {
      try {
        line(JSON.parse(text) as Line);
      } catch {
        stderr += text + '\n';
      }
    });
    const ends = new Promise<number | null>(resolve => {
      child.on('error', e => { stderr += e.message; resolve(2); });
      child.on('close', resolve);
    });
    const code = await ends;
    cancel?.dispose();
    return { code, stderr };
  }

  /** The scripts of a request with the requested commands; undefined means all. */
  private async wanted(request: vscode.TestRunRequest): Promise<Map<vscode.TestItem, vscode.TestItem[] | undefined>> {
    const out = new Map<vscode.TestItem, vscode.TestItem[] | undefined>();
    const items: vscode.TestItem[] = [];
    if (request.include) {
      items.push(...request.include);
    } else {
      await this.find();
      this.controller.items.forEach(i => items.push(i));
    }
    const excluded = new Set(request.exclude);
    for (const item of items) {
      if (excluded.has(item)) {
        continue;
      }
      const file = item.parent ?? item;
      await vscode.workspace.textDocuments.find(d => d.uri.toString() === file.id && d.isDirty)?.save();
      if (!this.loaded.has(file)) {
        await this.load(file);
      }
      if (!item.parent) {
        out.set(file, undefined);
      } else if (out.get(file) !== undefined || !out.has(file)) {
        out.set(file, [...(out.get(file) ?? []), item]);
      }
    }
    for (const [file, some] of out) { // what is excluded takes the commands apart
      const all: vscode.TestItem[] = [];
      file.children.forEach(c => all.push(c));
      if (!some && all.some(c => excluded.has(c))) {
        out.set(file, all.filter(c => !excluded.has(c)));
      }
    }
    return out;
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    try {
      for (const [file, some] of await this.wanted(request)) {
        if (token.isCancellationRequested) {
          break;
        }
        await this.runScript(run, file, some, token);
      }
    } finally {
      run.end();
    }
  }

  private async runScript(run: vscode.TestRun, file: vscode.TestItem, some: vscode.TestItem[] | undefined, token: vscode.CancellationToken): Promise<void> {
    const open = new Set<vscode.TestItem>(some);
    if (!some) {
      file.children.forEach(c => open.add(c));
    }
    open.forEach(c => run.started(c));
    const lines = some && some.length <= mostLines ? some.flatMap(c => ['--line', String(c.range!.start.line + 1)]) : [];
    const end = await this.program([...lines, file.uri!.fsPath], l => {
      if (l.ok === undefined) {
        return;
      }
      const test = file.children.get(idOf(l));
      if (test && open.delete(test)) {
        if (l.ok) {
          run.passed(test, (l.ns ?? 0) / 1e6);
        } else {
          run.failed(test, this.message(file, l), (l.ns ?? 0) / 1e6);
        }
      } else if (!l.ok && !isTest(l.kind)) { // a module, say: what follows depends on it
        run.failed(file, this.message(file, l));
      }
      if (!l.ok) {
        run.appendOutput(`${file.label}:${l.line}: ${l.kind}: ${l.message}\r\n${(l.backtrace ?? '').replace(/\r?\n/g, '\r\n')}`, this.place(file, l), test);
      }
    }, token);
    if (end.stderr) {
      run.appendOutput(end.stderr.replace(/\r?\n/g, '\r\n'));
    }
    open.forEach(c => (end.code === 2 ? run.errored(c, new vscode.TestMessage(end.stderr)) : run.skipped(c)));
  }

  private place(file: vscode.TestItem, l: Line): vscode.Location {
    return new vscode.Location(file.uri!, new vscode.Range(l.line - 1, l.col - 1, l.endLine - 1, l.endCol - 1));
  }

  private message(file: vscode.TestItem, l: Line): vscode.TestMessage {
    const text = [l.message, l.backtrace].filter(Boolean).join('\n');
    const message = l.expected !== undefined && l.actual !== undefined ? vscode.TestMessage.diff(text, l.expected, l.actual) : new vscode.TestMessage(text);
    message.location = this.place(file, l);
    return message;
  }

  /** Debugs the requested tests: one session for each script or single command, in sequence. */
  private async debug(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    try {
      for (const [file, some] of await this.wanted(request)) {
        for (const test of some ?? [undefined]) {
          if (token.isCancellationRequested) {
            return;
          }
          await this.debugOne(run, file, test, token);
        }
      }
    } finally {
      run.end();
    }
  }

  private async debugOne(run: vscode.TestRun, file: vscode.TestItem, test: vscode.TestItem | undefined, token: vscode.CancellationToken): Promise<void> {
    const key = String(++this.sessions), item = test ?? file;
    const said = { text: '' } as { failed?: number; text: string };
    this.said.set(key, said);
    run.started(item);
    const ended = new Promise<void>(resolve => {
      const done = vscode.debug.onDidTerminateDebugSession(s => {
        if (s.configuration[runKey] === key) {
          done.dispose();
          resolve();
        }
      });
    });
    const cancel = token.onCancellationRequested(() => void vscode.debug.stopDebugging());
    const started = await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(file.uri!), {
      type: 'wasm',
      request: 'launch',
      name: `Debug ${test ? test.label : path.basename(file.uri!.fsPath)}`,
      program: file.uri!.fsPath,
      ...(test ? { line: test.range!.start.line + 1 } : {}),
      [runKey]: key,
    });
    if (started) {
      await ended;
    }
    cancel.dispose();
    this.said.delete(key);
    if (said.failed === undefined) {
      run.skipped(item); // ended by hand
    } else if (said.failed === 0) {
      run.passed(item);
    } else {
      run.failed(item, new vscode.TestMessage(said.text.trim()));
    }
  }

  /** Reads the console output of a test's debug session: the last line has the counts. */
  private tracker(session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined {
    const said = this.said.get(String(session.configuration[runKey]));
    if (!said) {
      return undefined;
    }
    return {
      onDidSendMessage: (m: { type?: string; event?: string; body?: { category?: string; output?: string } }) => {
        if (m.type === 'event' && m.event === 'output' && m.body?.category === 'console') {
          said.text = (said.text + (m.body.output ?? '')).slice(-20_000);
          const counted = /^\d+ passed, (\d+) failed$/m.exec(m.body.output ?? '');
          if (counted) {
            said.failed = Number(counted[1]);
          }
        }
      },
    };
  }

  /** Runs or debugs the command on a line, counted from 1. */
  async runLine(uri: vscode.Uri, line: number, debug: boolean): Promise<void> {
    const open = vscode.workspace.textDocuments.find(d => d.uri.toString() === uri.toString());
    if (open?.isDirty && !(await open.save())) {
      return;
    }
    const file = this.add(uri);
    await this.load(file);
    let test: vscode.TestItem | undefined;
    file.children.forEach(c => {
      if (c.range!.start.line < line && line <= c.range!.end.line + 1) {
        test ??= c;
      }
    });
    if (!test) {
      void vscode.window.showInformationMessage(`No command that can run is on line ${line}.`);
      return;
    }
    const cancel = new vscode.CancellationTokenSource(), request = new vscode.TestRunRequest([test]);
    await (debug ? this.debug(request, cancel.token) : this.run(request, cancel.token));
    cancel.dispose();
  }
}
