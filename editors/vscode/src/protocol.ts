import * as vscode from 'vscode';
import { activeDocument } from './active';
import { Client, ProtocolFunction } from './client';

/** Shows protocols: the states of a fiber, task or coroutine, drawn beside its text, and drawn again when the text changes. */
export function registerProtocol(context: vscode.ExtensionContext, client: Client): void {
  const view = new ProtocolView(client);
  context.subscriptions.push(
    view,
    vscode.commands.registerCommand('stackscope.showProtocol', (uri?: unknown, name?: unknown) =>
      view.show(typeof uri === 'string' ? vscode.Uri.parse(uri) : undefined, typeof name === 'string' ? name : undefined)),
    vscode.workspace.onDidChangeTextDocument(e => view.changed(e.document.uri)),
  );
}

class ProtocolView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown: { uri: vscode.Uri; name: string } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly client: Client) {}

  /** Shows the protocol of a function. From the command palette: of the function at the cursor, else of one that the user chooses. */
  async show(uri: vscode.Uri | undefined, name: string | undefined): Promise<void> {
    const file = uri ?? activeDocument()?.uri;
    if (!file) {
      void vscode.window.showInformationMessage('Open a WebAssembly text to see its protocols.');
      return;
    }
    try {
      const which = name ?? await this.choose(file);
      if (which !== undefined) {
        this.shown = { uri: file, name: which };
        await this.draw(true);
      }
    } catch (e) {
      void vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
    }
  }

  private async choose(uri: vscode.Uri): Promise<string | undefined> {
    const editor = vscode.window.activeTextEditor;
    const here = editor?.document.uri.toString() === uri.toString() ? editor.selection.active : undefined;
    const { functions, machine } = await this.client.protocol(uri, { position: here && { line: here.line, character: here.character } });
    if (machine) {
      return machine.function;
    }
    if (functions.length === 0) {
      void vscode.window.showInformationMessage('No function of this file begins a fiber, task, stack or continuation, or the file has errors.');
      return undefined;
    }
    const items = functions.map((f: ProtocolFunction) => ({ label: f.name, description: f.noun }));
    return (await vscode.window.showQuickPick(items, { placeHolder: 'Select a function to show the protocol of' }))?.label;
  }

  /** Draws again soon after a change of the text that is shown. */
  changed(uri: vscode.Uri): void {
    if (this.panel && this.shown?.uri.toString() === uri.toString()) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.draw(false).catch(() => undefined), 300);
    }
  }

  private async draw(reveal: boolean): Promise<void> {
    const shown = this.shown;
    if (!shown) {
      return;
    }
    const { machine, svg, text } = await this.client.protocol(shown.uri, { function: shown.name });
    if (shown !== this.shown || (!reveal && !machine)) {
      return; // another one is shown now; a text that has errors at the moment keeps its drawing
    }
    if (!machine || !svg) {
      void vscode.window.showInformationMessage(`${shown.name} never gives up control to another stack.`);
      return;
    }
    if (!this.panel) {
      this.panel = vscode.window.createWebviewPanel('stackscope.protocol', '', { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableScripts: false });
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.shown = undefined;
      });
    } else if (reveal) {
      this.panel.reveal(undefined, true);
    }
    this.panel.title = `Protocol of ${machine.function}`;
    this.panel.webview.html = page(svg, text ?? '');
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
  }
}

/** The page: the drawing, and the same as text for readers without it. Nothing in it runs, or is loaded. */
function page(svg: string, text: string): string {
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body { color: var(--vscode-editor-foreground); } pre { font-family: var(--vscode-editor-font-family); }</style>
</head><body>${svg}<pre>${escaped}</pre></body></html>`;
}
