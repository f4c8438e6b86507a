import * as vscode from 'vscode';
import { registerAttach } from './attach';
import { registerBuild } from './build';
import { Chooser } from './choose';
import { Client } from './client';
import { Programs, registerPrograms } from './compiled';
import { registerDebugger } from './debug';
import { registerExamples } from './examples';
import { registerExplain } from './explain';
import { registerLaunchJson } from './launchjson';
import { registerPrinted } from './printed';
import { registerProtocol } from './protocol';
import { registerRun } from './run';
import { registerStacks } from './stacks';
import { registerTests } from './tests';
import { registerView } from './view';

let client: Client | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  client = new Client(context);
  context.subscriptions.push(client);
  const chooser = new Chooser(client, context.workspaceState), programs = new Programs(client, context.workspaceState);
  registerDebugger(context, chooser, programs);
  registerRun(context, chooser, programs);
  registerPrograms(context);
  registerBuild(context);
  registerView(context);
  registerStacks(context);
  registerTests(context);
  registerAttach(context);
  registerExamples(context);
  registerPrinted(context, client);
  registerExplain(context, client);
  registerProtocol(context, client);
  registerLaunchJson(context, client);
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
