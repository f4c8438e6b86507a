import { execFile } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { checkedProgram } from './binaries';

/** A line of `wasm-dap ps --format json`. */
interface Running {
  pid: number;
  address: string;
  program: string;
  args?: string[];
}

/** Registers the choice of a running program, for `"connect": "${command:stackscope.pickProcess}"`. */
export function registerAttach(context: vscode.ExtensionContext): void {
  context.subscriptions.push(vscode.commands.registerCommand('stackscope.pickProcess', () => pickProcess(context)));
}

/** Lets the user choose among the programs that `wasm-dap run --listen` runs; returns the address of one. */
async function pickProcess(context: vscode.ExtensionContext): Promise<string | undefined> {
  const command = await checkedProgram(context, 'wasm-dap');
  if (!command) {
    return undefined;
  }
  const out = await new Promise<string>((resolve, reject) =>
    execFile(command, ['ps', '--format', 'json'], { timeout: 20_000 }, (e, stdout, stderr) => (e ? reject(new Error(stderr || e.message)) : resolve(stdout))));
  const programs = out.split('\n').filter(Boolean).map(l => JSON.parse(l) as Running);
  if (programs.length === 0) {
    void vscode.window.showInformationMessage('No running program accepts debuggers. Start one with: wasm-dap run --listen 127.0.0.1:0 FILE');
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    programs.map(p => ({ label: path.basename(p.program), description: `${p.address} · process ${p.pid}`, detail: [p.program, ...(p.args ?? [])].join(' '), address: p.address })),
    { title: 'Attach to a running WebAssembly program', placeHolder: 'Programs started with wasm-dap run --listen', matchOnDescription: true, matchOnDetail: true });
  return picked?.address;
}
