import * as vscode from 'vscode';
import { activeDocument } from './active';
import { Client } from './client';

/** The scheme of documents that explain a code; the path is the code and `.md`. */
const explainScheme = 'wasm-explain';

/**
 * Explains the codes of diagnostics. The link of a code in a hover or in the Problems view runs the command with the code; from the
 * command palette it asks which of the codes of the active file is meant.
 */
export function registerExplain(context: vscode.ExtensionContext, client: Client): void {
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(explainScheme, {
      provideTextDocumentContent: uri => client.explain(uri.path.replace(/^\/|\.md$/g, '')),
    }),
    vscode.commands.registerCommand('stackscope.explain', async (code?: string) => {
      const which = typeof code === 'string' ? code : await pickCode();
      if (which) {
        await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.from({ scheme: explainScheme, path: `/${which}.md` }));
      }
    }),
  );
}

/** Lets the user choose among the codes that the active file has. */
async function pickCode(): Promise<string | undefined> {
  const uri = activeDocument()?.uri;
  const items = new Map<string, vscode.QuickPickItem>();
  for (const d of uri ? vscode.languages.getDiagnostics(uri) : []) {
    const code = typeof d.code === 'object' ? d.code.value : d.code;
    if (d.source === 'stackscope' && code !== undefined && !items.has(String(code))) {
      items.set(String(code), { label: String(code), detail: d.message });
    }
  }
  if (items.size === 0) {
    void vscode.window.showInformationMessage('The active file has no diagnostics of WebAssembly text.');
    return undefined;
  }
  return (await vscode.window.showQuickPick([...items.values()], { placeHolder: 'Select a diagnostic to explain' }))?.label;
}
