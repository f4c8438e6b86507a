import { ChildProcess, spawn } from 'node:child_process';
import * as vscode from 'vscode';
import { checkedProgram } from './binaries';
import { fileOf, printedScheme } from './printed';

const languages = new Set(['wat', 'wast']);

/** Registers the debug type `wasm`: the adapter and the defaults that make F5 work on an open file. */
export function registerDebugger(context: vscode.ExtensionContext): void {
  const factory = new AdapterFactory(context);
  context.subscriptions.push(
    factory,
    vscode.debug.registerDebugAdapterDescriptorFactory('wasm', factory),
    vscode.debug.registerDebugConfigurationProvider('wasm', { resolveDebugConfiguration, resolveDebugConfigurationWithSubstitutedVariables: withStopOnEntry }),
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

  /** One server process for all sessions over TCP; it says on standard error where it listens. */
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

/** F5 without a launch.json comes with an empty configuration: then the open file is the program. */
function resolveDebugConfiguration(_: vscode.WorkspaceFolder | undefined, config: vscode.DebugConfiguration): vscode.ProviderResult<vscode.DebugConfiguration> {
  if (!config.type && !config.request && !config.name) {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !languages.has(document.languageId)) {
      return undefined;
    }
    Object.assign(config, { type: 'wasm', request: 'launch', name: 'Debug the open WebAssembly file', program: fileOf(document.uri).fsPath });
  }
  if (config.request === 'attach') {
    return config;
  }
  // ${file} stands for files only, not for the text of a binary module.
  const active = vscode.window.activeTextEditor?.document.uri;
  if (config.program === '${file}' && active?.scheme === printedScheme) {
    config.program = fileOf(active).fsPath;
  }
  config.printedUris ??= true;
  if (!config.program) {
    void vscode.window.showErrorMessage('stackscope: the launch configuration names no "program": the .wat, .wast or .wasm file to debug.');
    return undefined;
  }
  return config;
}

/** Without a breakpoint anywhere, a program that does not stop on entry would only flash by. */
async function withStopOnEntry(_: vscode.WorkspaceFolder | undefined, config: vscode.DebugConfiguration): Promise<vscode.DebugConfiguration> {
  if (config.request === 'attach') {
    return config;
  }
  if (config.stopOnEntry === undefined && !config.noDebug) {
    config.stopOnEntry = !vscode.debug.breakpoints.some(b => b.enabled);
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
