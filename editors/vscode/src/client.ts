import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from 'vscode-languageclient/node';
import { checkedProgram } from './binaries';

/** The language client: started with the extension, started again on demand or when its settings change. */
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

  /** Gives the text of a `.wasm` file; the error says what is wrong with the file, and where. */
  async print(file: vscode.Uri): Promise<string> {
    await this.started;
    if (!this.client) {
      throw new Error('The language server does not run: the output "WebAssembly (stackscope)" says why.');
    }
    const answer = await this.client.sendRequest<{ text: string }>('stackscope/print', { uri: file.toString() });
    return answer.text;
  }

  /** The explanation of a diagnostic's code, as Markdown. */
  async explain(code: string): Promise<string> {
    await this.started;
    if (!this.client) {
      throw new Error('The language server does not run: the output "WebAssembly (stackscope)" says why.');
    }
    return (await this.client.sendRequest<{ markdown: string }>('stackscope/explain', { code })).markdown;
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
      initializationOptions: { lenses: config.get<boolean>('lenses', true), dialect: config.get<string>('dialect', ''), explain: 'stackscope.explain' },
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
