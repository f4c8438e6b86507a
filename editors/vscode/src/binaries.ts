import * as fs from 'node:fs';
import * as path from 'node:path';
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';

/** The two programs inside the extension. */
export type Program = 'wasm-ls' | 'wasm-dap';

const setting: Record<Program, string> = { 'wasm-ls': 'server.path', 'wasm-dap': 'debugger.path' };

/** Returns the path of a program: as configured, else inside the extension, else on the PATH. */
export function programPath(context: vscode.ExtensionContext, program: Program): string {
  const configured = vscode.workspace.getConfiguration('stackscope').get<string>(setting[program], '').trim();
  if (configured) {
    return configured;
  }
  const file = process.platform === 'win32' ? `${program}.exe` : program;
  const bundled = path.join(context.extensionPath, 'bin', file);
  return fs.existsSync(bundled) ? bundled : file;
}

/**
 * Gives the program's path if it runs on this machine. A package for another platform installs
 * without a word, so this is where it shows.
 */
export async function checkedProgram(context: vscode.ExtensionContext, program: Program): Promise<string | undefined> {
  const file = programPath(context, program);
  const error = await new Promise<Error | undefined>(resolve =>
    execFile(file, ['--version'], { timeout: 20_000 }, e => resolve(e ?? undefined)));
  if (!error) {
    return file;
  }
  const choice = await vscode.window.showErrorMessage(
    `stackscope: ${program} does not run here (${process.platform}-${process.arch}): ${error.message.split('\n')[0]}`,
    'Open Settings');
  if (choice) {
    await vscode.commands.executeCommand('workbench.action.openSettings', `stackscope.${setting[program]}`);
  }
  return undefined;
}
