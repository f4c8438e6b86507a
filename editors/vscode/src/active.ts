import * as vscode from 'vscode';

/** The languages of the extension. */
export const languages = new Set(['wat', 'wast']);

/**
 * Returns the document that a command without one is about: that of the active editor. The Output panel counts as an editor,
 * too; while it has the focus, it is the first visible document of WebAssembly.
 */
export function activeDocument(): vscode.TextDocument | undefined {
  const active = vscode.window.activeTextEditor?.document;
  if (active && active.uri.scheme !== 'output') {
    return active;
  }
  return vscode.window.visibleTextEditors.find(e => languages.has(e.document.languageId))?.document;
}
