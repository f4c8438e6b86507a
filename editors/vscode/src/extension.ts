import * as vscode from 'vscode';
import { registerAttach } from './attach';
import { Client } from './client';
import { registerDebugger } from './debug';
import { registerExamples } from './examples';
import { registerExplain } from './explain';
import { registerPrinted } from './printed';
import { registerRun } from './run';
import { registerStacks } from './stacks';
import { registerTests } from './tests';

let client: Client | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  registerDebugger(context);
  registerRun(context);
  registerStacks(context);
  registerTests(context);
  registerAttach(context);
  registerExamples(context);
  client = new Client(context);
  context.subscriptions.push(client);
  registerPrinted(context, client);
  registerExplain(context, client);
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
