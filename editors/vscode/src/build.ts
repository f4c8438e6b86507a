import * as path from 'node:path';
import * as jsonc from 'jsonc-parser';
import * as vscode from 'vscode';

const taskType = 'wasm-build';

/** A task that compiles one source file, as tasks.json has it. */
interface Definition extends vscode.TaskDefinition {
  compiler: string;
  /** The file to compile, relative to the folder of the workspace. */
  source: string;
  /** The module to write; by default it stands beside the source, with the extension .wasm. */
  output?: string;
  args?: string[];
  /** Kotlin: the libraries of the program, with the one of the language. */
  libraries?: string[];
}

/** How one compiler is called. */
interface Compiler {
  name: string;
  languages: string[];
  detail: string;
  matcher: string;
  /** The commands to run one after the other, each as words. */
  commands(program: string[], source: string, output: string, d: Definition): string[][];
}

const kotlinOptions = ['-Xir-dce', '-source-map', '-Xwasm-use-stack-switching-proposal', '-Xwasm-use-new-exception-proposal', '-Xwasm-debug-info', '-Xwasm-debug-friendly'];

/** The compilers. Each command writes debugging information and optimizes nothing; `args` come last and can change both. */
const compilers: Compiler[] = [
  { name: 'clang', languages: ['c'], detail: 'clang with a WASI SDK', matcher: '$wasm-cc', commands: (p, source, output, d) => [[...p, '--target=wasm32-wasi', '-g', '-O0', source, '-o', output, ...args(d)]] },
  { name: 'clang++', languages: ['cpp'], detail: 'clang with a WASI SDK', matcher: '$wasm-cc', commands: (p, source, output, d) => [[...p, '--target=wasm32-wasi', '-fno-exceptions', '-g', '-O0', source, '-o', output, ...args(d)]] },
  { name: 'zig cc', languages: ['c'], detail: 'the C compiler of Zig', matcher: '$wasm-cc', commands: (p, source, output, d) => [[...p, '-target', 'wasm32-wasi', '-g', '-O0', source, '-o', output, ...args(d)]] },
  { name: 'zig c++', languages: ['cpp'], detail: 'the C++ compiler of Zig', matcher: '$wasm-cc', commands: (p, source, output, d) => [[...p, '-target', 'wasm32-wasi', '-g', '-O0', source, '-o', output, ...args(d)]] },
  { name: 'zig build-exe', languages: ['zig'], detail: 'Zig', matcher: '$wasm-cc', commands: (p, source, output, d) => [[...p, '-target', 'wasm32-wasi', source, `-femit-bin=${output}`, ...args(d)]] },
  { name: 'rustc', languages: ['rust'], detail: 'Rust, one file', matcher: '$wasm-rustc', commands: (p, source, output, d) => [[...p, ...(args(d).includes('--target') ? [] : ['--target', 'wasm32-wasip1']), '--edition', '2021', '-g', source, '-o', output, ...args(d)]] },
  { name: 'asc', languages: ['typescript', 'assemblyscript'], detail: 'AssemblyScript', matcher: '$wasm-asc', commands: (p, source, output, d) => [[...p, source, '--debug', '--sourceMap', '--bindings', 'esm', '-o', output, ...args(d)]] },
  { name: 'kotlinc-wasm', languages: ['kotlin'], detail: 'Kotlin, with stack switching', matcher: '$wasm-cc', commands: kotlin },
];

function args(d: Definition): string[] {
  return d.args ?? [];
}

/** Kotlin compiles a library first, then the program. */
function kotlin(program: string[], source: string, output: string, d: Definition): string[][] {
  const name = path.basename(output, '.wasm'), dir = path.dirname(output);
  const all = [...program, ...(d.libraries?.length ? ['-libraries', d.libraries.join(path.delimiter)] : []), '-ir-output-dir', dir, '-ir-output-name', name];
  return [[...all, source], [...all, '-Xir-produce-js', `-Xinclude=${path.posix.join(dir, `${name}.klib`)}`, ...kotlinOptions, ...args(d)]];
}

/** Returns the compilers of a document's language. */
export function compilersOf(document: vscode.TextDocument): Compiler[] {
  return compilers.filter(c => c.languages.includes(document.languageId));
}

/** Registers the tasks that build programs: those of the open file, and those of tasks.json. */
export function registerBuild(context: vscode.ExtensionContext): void {
  context.subscriptions.push(vscode.tasks.registerTaskProvider(taskType, {
    provideTasks: () => {
      const document = vscode.window.activeTextEditor?.document;
      const folder = document && vscode.workspace.getWorkspaceFolder(document.uri);
      return document && folder ? compilersOf(document).map(c => taskOf(folder, definition(folder, document, c))) : [];
    },
    resolveTask: task => {
      const d = task.definition as Definition;
      const folder = typeof task.scope === 'object' ? task.scope : vscode.workspace.workspaceFolders?.[0];
      return folder && compilers.some(c => c.name === d.compiler) && typeof d.source === 'string' ? taskOf(folder, d, task.name) : undefined;
    },
  }));
}

function definition(folder: vscode.WorkspaceFolder, document: vscode.TextDocument, c: Compiler): Definition {
  return { type: taskType, compiler: c.name, source: path.relative(folder.uri.fsPath, document.uri.fsPath).replaceAll('\\', '/') };
}

/** The module that a task writes, relative to the folder. */
function outputOf(d: Definition): string {
  return d.output ?? d.source.replace(/\.[^./]*$/, '') + '.wasm';
}

function taskOf(folder: vscode.WorkspaceFolder, d: Definition, name = `${d.compiler}: build ${outputOf(d)}`): vscode.Task {
  const c = compilers.find(c => c.name === d.compiler)!;
  const setting = vscode.workspace.getConfiguration('stackscope', folder).get<Record<string, string | string[]>>('compilers', {})[c.name];
  const program = setting === undefined || setting.length === 0 ? words(c) : typeof setting === 'string' ? [setting] : setting;
  const line = c.commands(program, d.source, outputOf(d), d).map(command => command.map(quoted).join(' ')).join(' && ');
  const task = new vscode.Task(d, folder, name, taskType, new vscode.ShellExecution(line, { cwd: folder.uri.fsPath }), c.matcher);
  task.group = vscode.TaskGroup.Build;
  task.detail = `${c.detail}: ${d.source} → ${outputOf(d)}`;
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent, clear: true, showReuseMessage: false };
  return task;
}

/** The program of a compiler: its name, or for asc the one of the workspace's packages. */
function words(c: Compiler): string[] {
  return c.name === 'asc' ? ['npx', 'asc'] : c.name.split(' ');
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./\\~-]+$/.test(word)) {
    return word;
  }
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A build task of a folder. */
export interface Build {
  label: string;
  /** The path of the module. */
  output: string;
}

/** Returns the tasks of tasks.json that build a program from a source file. */
export async function buildsOf(folder: vscode.WorkspaceFolder, source: vscode.Uri): Promise<Build[]> {
  const { tasks } = await read(folder, 'tasks.json', 'tasks');
  return tasks
    .filter(t => t.type === taskType && typeof t.source === 'string' && path.resolve(folder.uri.fsPath, t.source) === source.fsPath)
    .map(t => ({ label: String(t.label ?? `${taskType}: ${t.compiler}: build ${outputOf(t as unknown as Definition)}`), output: path.resolve(folder.uri.fsPath, outputOf(t as unknown as Definition)) }));
}

/** Writes a build task for a source file into tasks.json, and a configuration that runs it into launch.json. Asks which compiler. */
export async function addBuild(folder: vscode.WorkspaceFolder, document: vscode.TextDocument, fit: Compiler[]): Promise<Build | undefined> {
  const c = fit.length === 1 ? fit[0] : (await vscode.window.showQuickPick(fit.map(c => ({ label: c.name, description: c.detail, c })), { title: `Build ${path.basename(document.uri.fsPath)}`, placeHolder: 'The compiler' }))?.c;
  if (!c) {
    return undefined;
  }
  const d = definition(folder, document, c), output = outputOf(d), label = `Build ${output}`;
  await append(folder, 'tasks.json', 'tasks', { label, ...d, problemMatcher: [c.matcher], group: 'build' }, { version: '2.0.0' });
  await append(folder, 'launch.json', 'configurations', { type: 'wasm', request: 'launch', name: `Debug ${output}`, program: `\${workspaceFolder}/${output}`, preLaunchTask: label }, { version: '0.2.0' });
  await known(label);
  return { label, output: path.join(folder.uri.fsPath, output) };
}

/** Waits until VS Code has read a task that was written to tasks.json: before that a debug session cannot run it. */
async function known(label: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    if ((await vscode.tasks.fetchTasks({ type: taskType })).some(t => t.name === label)) {
      return;
    }
    await new Promise(resolve => setTimeout(resolve, 250));
  }
}

/** Reads a list of a file of .vscode; without the file, or if it is not well-formed, the list is empty. */
async function read(folder: vscode.WorkspaceFolder, file: string, key: string): Promise<{ text: string; tasks: Record<string, unknown>[] }> {
  const text = await Promise.resolve(vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder.uri, '.vscode', file))).then(b => new TextDecoder().decode(b), () => '');
  const all: unknown = (jsonc.parse(text, [], { allowTrailingComma: true }) as Record<string, unknown> | undefined)?.[key];
  return { text, tasks: Array.isArray(all) ? all.filter((t): t is Record<string, unknown> => typeof t === 'object' && t !== null) : [] };
}

/** Appends an item to a list of a file of .vscode, and keeps what the file has, comments included. */
async function append(folder: vscode.WorkspaceFolder, file: string, key: string, item: object, fresh: object): Promise<void> {
  const { text, tasks } = await read(folder, file, key);
  const old = text || `${JSON.stringify({ ...fresh, [key]: [] }, null, 2)}\n`;
  const edits = jsonc.modify(old, [key, text ? tasks.length : 0], item, { isArrayInsertion: true, formattingOptions: { insertSpaces: true, tabSize: 2 } });
  const to = vscode.Uri.joinPath(folder.uri, '.vscode', file);
  await vscode.workspace.fs.writeFile(to, new TextEncoder().encode(jsonc.applyEdits(old, edits)));
}
