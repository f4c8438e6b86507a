import * as vscode from 'vscode';

type View = 'source' | 'wat';

/** What VS Code passes to a command of the Call Stack view's menu. */
interface CallStackItem {
  sessionId?: string;
  frameId?: string;
}

/** Registers the commands that show a function in its source or in the text format. */
export function registerView(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.commands.registerCommand('stackscope.showWat', (item?: CallStackItem) => show('wat', item)),
    vscode.commands.registerCommand('stackscope.showSource', (item?: CallStackItem) => show('source', item)),
  );
}

/** Shows the function of a frame: that of the menu, else the one that the Call Stack view shows. */
async function show(view: View, item: CallStackItem | undefined): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== 'wasm') {
    void vscode.window.showInformationMessage('No WebAssembly program is being debugged.');
    return;
  }
  const frameId = await frameOf(session, item);
  if (frameId === undefined) {
    void vscode.window.showInformationMessage('Stop the program, and select a frame in the Call Stack view.');
    return;
  }
  try {
    await session.customRequest('stackscope/view', { view, frameId });
  } catch (e) {
    void vscode.window.showErrorMessage(`stackscope: ${e instanceof Error ? e.message : String(e)}`);
  }
}

/** Returns the adapter's number of a frame. The menu names a frame by its thread and its place in the list. */
async function frameOf(session: vscode.DebugSession, item: CallStackItem | undefined): Promise<number | undefined> {
  const named = /^stackframe:thread:.*?:(\d+):(\d+):/.exec(item?.frameId ?? '');
  if (named && item?.sessionId === session.id) {
    const [threadId, startFrame] = named.slice(1).map(Number);
    const { stackFrames } = await session.customRequest('stackTrace', { threadId, startFrame, levels: 1 }) as { stackFrames: { id: number }[] };
    return stackFrames[0]?.id;
  }
  const active = vscode.debug.activeStackItem;
  return active instanceof vscode.DebugStackFrame ? active.frameId : undefined;
}
