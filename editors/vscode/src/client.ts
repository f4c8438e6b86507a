import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from 'vscode-languageclient/node';
import { checkedProgram } from './binaries';

/** An exported function. */
export interface Exported {
  name: string;
  params: string[];
  results: string[];
  signature: string;
  /** False if some parameter has a type that no argument can be written for. */
  typeable: boolean;
}

/** A position or range, as the language server sends it. */
export interface WirePosition {
  line: number;
  character: number;
}
export interface WireRange {
  start: WirePosition;
  end: WirePosition;
}

/** What a file can run: the answer to `stackscope/exports`. */
export interface Exports {
  script: boolean;
  exports: Exported[];
  /** The export that runs if none is named; absent if that does not decide. */
  default?: string;
  start: boolean;
  /** Functions that could be exported, where there is no exported one. */
  candidates?: { name: string; signature: string; range: WireRange }[];
  errors: number;
  first?: { message: string; range: WireRange };
}

/** The answer to `stackscope/arguments`. */
export interface Arguments {
  args: string[];
  problem?: string;
  /** The only problem is that arguments are missing. */
  missing?: boolean;
}

/** A function that has a protocol. */
export interface ProtocolFunction {
  name: string;
  noun: string;
  range: WireRange;
}

/** The answer to `stackscope/protocol`, as far as it is used here. */
export interface ProtocolResult {
  functions: ProtocolFunction[];
  machine?: { function: string };
  text?: string;
  svg?: string;
}

/** The answer to `stackscope/builtFrom`. */
export interface BuiltFrom {
  built: { uri: string; path: string }[];
}

/** The language client. It starts with the extension, and restarts on demand or when its settings change. */
export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private started: Promise<void> | undefined;
  private readonly output = vscode.window.createOutputChannel('WebAssembly (stackscope)', { log: true });

  constructor(private readonly context: vscode.ExtensionContext) {
    context.subscriptions.push(
      vscode.workspace.onDidChangeConfiguration(e => {
        if (e.affectsConfiguration('stackscope.server') || e.affectsConfiguration('stackscope.lenses')) {
          void this.restart();
        }
      }),
      vscode.commands.registerCommand('stackscope.restartServer', () => this.restart()),
      vscode.commands.registerCommand('stackscope.showLog', () => this.output.show()),
    );
  }

  /** Returns the text of a `.wasm` file; the error describes what is wrong with the file, and where. */
  async print(file: vscode.Uri): Promise<string> {
    return (await this.request<{ text: string }>('stackscope/print', { uri: file.toString() })).text;
  }

  /** Returns what a file can run. */
  exports(file: vscode.Uri): Promise<Exports> {
    return this.request('stackscope/exports', { uri: file.toString() });
  }

  /** Returns those of some .wasm files whose debugging information names a source file. */
  builtFrom(source: vscode.Uri, programs: vscode.Uri[]): Promise<BuiltFrom> {
    return this.request('stackscope/builtFrom', { source: source.toString(), programs: programs.map(String) });
  }

  /** Splits the arguments typed for an export and checks them. */
  arguments(file: vscode.Uri, name: string, text: string): Promise<Arguments> {
    return this.request('stackscope/arguments', { uri: file.toString(), export: name, text });
  }

  private async request<R>(method: string, params: object): Promise<R> {
    await this.started;
    if (!this.client) {
      throw new Error('The language server is not running. See the output channel "WebAssembly (stackscope)".');
    }
    return this.client.sendRequest<R>(method, params);
  }

  /** Returns the explanation of a diagnostic code, as Markdown. */
  async explain(code: string): Promise<string> {
    await this.started;
    if (!this.client) {
      throw new Error('The language server is not running. See the output channel "WebAssembly (stackscope)".');
    }
    return (await this.client.sendRequest<{ markdown: string }>('stackscope/explain', { code })).markdown;
  }

  /** Returns the protocol of a function, and which functions of the file have one. */
  protocol(uri: vscode.Uri, which: { position?: WirePosition; function?: string }): Promise<ProtocolResult> {
    return this.request('stackscope/protocol', { uri: uri.toString(), ...which });
  }

  start(): Promise<void> {
    this.started = this.launch();
    return this.started;
  }

  private async launch(): Promise<void> {
    const command = await checkedProgram(this.context, 'wasm-ls');
    if (!command) {
      return;
    }
    const config = vscode.workspace.getConfiguration('stackscope');
    const server: ServerOptions = {
      command,
      args: ['serve', ...config.get<string[]>('server.args', [])],
      transport: TransportKind.stdio,
    };
    const options: LanguageClientOptions = {
      documentSelector: [{ language: 'wat' }, { language: 'wast' }],
      outputChannel: this.output,
      initializationOptions: { lenses: config.get<boolean>('lenses', true), dialect: config.get<string>('dialect', ''), explain: 'stackscope.explain', protocol: 'stackscope.showProtocol' },
      synchronize: { configurationSection: 'stackscope', fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{wat,wast,wasm}') },
    };
    this.client = new LanguageClient('stackscope', 'WebAssembly (stackscope)', server, options);
    await this.client.start();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.stop().catch(() => undefined);
  }

  dispose(): void {
    void this.stop();
    this.output.dispose();
  }
}
