import { ChildProcess, spawn } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { activeDocument, languages } from './active';
import { checkedProgram } from './binaries';
import { Chooser } from './choose';
import { compiledLanguages, Programs } from './compiled';
import { fileOf, printedScheme } from './printed';

/** Registers the debug type `wasm`: the adapter and the defaults that make F5 work on an open file. */
export function registerDebugger(context: vscode.ExtensionContext, chooser: Chooser, programs: Programs): void {
  const factory = new AdapterFactory(context);
  context.subscriptions.push(
    factory,
    vscode.debug.registerDebugAdapterDescriptorFactory('wasm', factory),
    vscode.debug.registerDebugConfigurationProvider('wasm', { resolveDebugConfiguration: (_, config) => resolve(config, programs), resolveDebugConfigurationWithSubstitutedVariables: (folder, config) => complete(folder, config, chooser) }),
    vscode.debug.registerDebugConfigurationProvider('wasm', { provideDebugConfigurations }, vscode.DebugConfigurationProviderTriggerKind.Dynamic),
  );
}

class AdapterFactory implements vscode.DebugAdapterDescriptorFactory, vscode.Disposable {
  private server: { process: ChildProcess; port: Promise<number> } | undefined;

  constructor(private readonly context: vscode.ExtensionContext) {}

  async createDebugAdapterDescriptor(session: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor | undefined> {
    const command = await checkedProgram(this.context, 'wasm-dap');
    if (!command) {
      return undefined;
    }
    const transport = vscode.workspace.getConfiguration('stackscope').get<string>('debugger.transport', 'stdio');
    if (transport === 'tcp') {
      return new vscode.DebugAdapterServer(await this.listen(command), '127.0.0.1');
    }
    const cwd = session.workspaceFolder?.uri.fsPath;
    return new vscode.DebugAdapterExecutable(command, ['serve', '--stdio'], cwd ? { cwd } : undefined);
  }

  /** One server process for all sessions over TCP. It prints its address on standard error. */
  private listen(command: string): Promise<number> {
    if (this.server && this.server.process.exitCode === null) {
      return this.server.port;
    }
    const process = spawn(command, ['serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const port = new Promise<number>((resolve, reject) => {
      let said = '';
      process.stderr.on('data', chunk => {
        said += String(chunk);
        const found = /127\.0\.0\.1:(\d+)/.exec(said);
        if (found) {
          resolve(Number(found[1]));
        }
      });
      process.on('error', reject);
      process.on('exit', code => reject(new Error(`wasm-dap ended with code ${code}: ${said}`)));
    });
    this.server = { process, port };
    return port;
  }

  dispose(): void {
    this.server?.process.kill();
  }
}

/** Without a launch.json, F5 passes an empty configuration: the open file is then the program, or the program is built from it. */
async function resolve(config: vscode.DebugConfiguration, programs: Programs): Promise<vscode.DebugConfiguration | undefined> {
  if (!config.type && !config.request && !config.name) {
    const document = activeDocument();
    if (!document || !languages.has(document.languageId) && !compiledLanguages.has(document.languageId)) {
      return undefined;
    }
    Object.assign(config, { type: 'wasm', request: 'launch', name: 'Debug the open WebAssembly file', program: '${file}' });
  }
  if (config.request === 'attach') {
    return config;
  }
  // ${file} stands for files only, not for the text of a binary module; of a source file it is the program that is built from it.
  const active = activeDocument();
  if (config.program === '${file}' && active) {
    if (compiledLanguages.has(active.languageId)) {
      const built = await programs.of(active);
      if (!built) {
        return undefined;
      }
      Object.assign(config, built);
    } else if (active.uri.scheme === printedScheme) {
      config.program = fileOf(active.uri).fsPath;
    }
  }
  config.printedUris ??= true;
  if (!config.program) {
    void vscode.window.showErrorMessage('stackscope: the launch configuration names no "program": the .wat, .wast or .wasm file to debug.');
    return undefined;
  }
  return config;
}

/** The key in a configuration of the extension's commands: offer the exports even if one runs by default. */
export const wishKey = '__always';

/** Completes a configuration after its variables are substituted: asks the user for what is missing, and decides whether to stop on entry. */
async function complete(folder: vscode.WorkspaceFolder | undefined, config: vscode.DebugConfiguration, chooser: Chooser): Promise<vscode.DebugConfiguration | undefined> {
  if (config.request === 'attach') {
    return config;
  }
  const { [wishKey]: always, ...rest } = config;
  config = rest as vscode.DebugConfiguration;
  const file = vscode.Uri.file(path.resolve(folder?.uri.fsPath ?? '', config.program));
  for (const used of [file, ...Object.values<string>(config.imports ?? {}).map(f => vscode.Uri.file(path.resolve(folder?.uri.fsPath ?? '', f)))]) {
    if (!await chooser.confirm(used, !config.noDebug)) {
      return undefined;
    }
  }
  if (config.invoke === undefined || config.args === undefined) {
    const what = await chooser.choose(file, { name: config.invoke, args: config.args, always: always === true, debug: !config.noDebug });
    if (!what) {
      return undefined;
    }
    if (what.name) {
      config.invoke = what.name;
    }
    if (what.args.length > 0) {
      config.args = what.args;
    }
  }
  if (config.stopOnEntry === undefined && !config.noDebug) {
    config.stopUnlessBreakpoint = true; // the adapter knows which breakpoints are the program's
  }
  if (!config.dialect) {
    const dialect = vscode.workspace.getConfiguration('stackscope').get<string>('dialect', '');
    if (dialect) {
      config.dialect = dialect;
    }
  }
  return config;
}

function provideDebugConfigurations(): vscode.ProviderResult<vscode.DebugConfiguration[]> {
  return [{ type: 'wasm', request: 'launch', name: 'Debug the open WebAssembly file', program: '${file}' }];
}
