import * as vscode from 'vscode';
import { printedUri } from './printed';

/** A place in a program, as the adapter sends it (vm/debugger.Site). Lines and columns start at 1. */
interface Site {
  func?: string;
  file?: string;
  line?: number;
  col?: number;
  text?: string;
}

/** A stack, as `stackscope/stacks` returns it (stackview.JSONNode). */
interface Stack {
  id: number;
  name: string;
  title: string;
  state: 'new' | 'suspended' | 'running' | 'waiting' | 'moribund';
  /** What it is doing, and what is known of its parent, holders and creator, in the words of its design. */
  doing: string;
  details?: string[];
  dialect?: string;
  rooted?: boolean;
  function?: string;
  tag?: string;
  at?: Site;
  frames: number;
  resumes: number;
  /** Of a stack that has ended: how, in words. */
  end?: { kind: string; text: string; at?: Site };
  /** The event that has arrived and that the stack has not taken yet. */
  pending?: { tag: string; values?: string[] };
  children?: Stack[];
  /** In a tree by scheduler: the place in line, how many stacks it manages, and those of them that have no row. */
  queue?: { in: string; position: number; of: number };
  manages?: number;
  unlisted?: Count[];
}

/** How many stacks have something in common. */
interface Count {
  what: string;
  count: number;
}

interface Stacks {
  running?: number;
  stacks: Stack[];
  /** The number of stacks, listed or not. */
  total: number;
  /** The number of stacks in each state, if requested. */
  groups?: { key: string; count: number }[];
  omitted?: number;
  finished?: number;
  /** The stacks that have ended and that something still refers to. */
  ended?: Stack[];
  /** In a tree by scheduler: stacks without a row that nothing manages. */
  unlisted?: Count[];
  /** Not all stacks were looked at: `omitted` is an upper bound. */
  partial?: boolean;
  /** Where the next page begins. */
  next?: number;
}

type Item =
  | { kind: 'stack'; stack: Stack }
  | { kind: 'note'; text: string }
  | { kind: 'ended'; stacks: Stack[] }
  | { kind: 'more'; next: number; rest: number; partial: boolean };

/** Registers the Stacks view: the live tree of stacks of the active session, as of its last stop. */
export function registerStacks(context: vscode.ExtensionContext): void {
  const provider = new StacksProvider();
  const view = vscode.window.createTreeView('stackscope.stacks', { treeDataProvider: provider, showCollapseAll: true });
  provider.view = view;
  context.subscriptions.push(
    view,
    provider,
    vscode.commands.registerCommand('stackscope.stacks.refresh', () => provider.refresh()),
    vscode.commands.registerCommand('stackscope.stacks.groupByScheduler', () => provider.group('scheduler')),
    vscode.commands.registerCommand('stackscope.stacks.groupByParent', () => provider.group('parent')),
    vscode.commands.registerCommand('stackscope.stacks.reveal', (item: Item) => provider.reveal(item)),
    vscode.debug.onDidChangeActiveDebugSession(() => provider.refresh()),
    vscode.debug.onDidTerminateDebugSession(session => provider.ended(session)),
    vscode.debug.registerDebugAdapterTrackerFactory('wasm', {
      createDebugAdapterTracker: session => ({
        onDidSendMessage: message => provider.observe(session, message),
      }),
    }),
  );
}

class StacksProvider implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  view: vscode.TreeView<Item> | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private stopped = new Set<string>();
  private session: vscode.DebugSession | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The sessions in which the view was opened. */
  private opened = new Set<string>();
  /** What a stack is shown below: the one that waits for it, or the one that manages it. */
  private by: 'parent' | 'scheduler' = 'parent';
  /** The stacks that have a row. Every page repeats the running chain. */
  private listed = new Set<number>();

  /** Follows the protocol: requests the tree after each stop; it is stale while the program runs. */
  observe(session: vscode.DebugSession, message: { type: string; event?: string }): void {
    if (message.type !== 'event') {
      return;
    }
    switch (message.event) {
      case 'stopped':
        this.stopped.add(session.id);
        this.refreshSoon();
        void this.open(session);
        break;
      case 'continued':
        this.stopped.delete(session.id);
        this.refreshSoon();
        break;
      case 'invalidated':
        this.refreshSoon();
        break;
      case 'terminated':
        this.ended(session);
        break;
    }
  }

  /** Opens the view at the first stop of a session with more than one stack. The focus stays where it is. */
  private async open(session: vscode.DebugSession): Promise<void> {
    if (this.opened.has(session.id)) {
      return;
    }
    try {
      const tree: Stacks = await session.customRequest('stackscope/stacks', { max: 2, holders: false });
      if (tree.total < 2 || this.opened.has(session.id) || vscode.debug.activeDebugSession?.id !== session.id) {
        return;
      }
      this.opened.add(session.id);
      const [first] = await this.getChildren();
      if (first && this.view && !this.view.visible) {
        await this.view.reveal(first, { select: false, focus: false });
      }
    } catch {
      // The program runs again, or has ended.
    }
  }

  getParent(): undefined {
    return undefined; // only rows without one are revealed
  }

  ended(session: vscode.DebugSession): void {
    this.stopped.delete(session.id);
    this.refreshSoon();
  }

  refresh(): void {
    this.changed.fire();
  }

  /** Shows each stack below its parent, or below the stack that manages it. */
  group(by: 'parent' | 'scheduler'): void {
    this.by = by;
    void vscode.commands.executeCommand('setContext', 'stackscope.stacks.by', by);
    this.refresh();
  }

  /** Steps in quick succession make one request. */
  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), 30);
  }

  async getChildren(parent?: Item): Promise<Item[]> {
    if (parent?.kind === 'more') {
      return this.page(parent);
    }
    if (parent?.kind === 'ended') {
      return parent.stacks.map(item);
    }
    if (parent) {
      return parent.kind === 'stack' ? [...(parent.stack.children ?? []).map(item), ...unlisted(parent.stack.unlisted)] : [];
    }
    const session = vscode.debug.activeDebugSession;
    this.session = session?.type === 'wasm' ? session : undefined;
    if (!this.session) {
      this.say('');
      return [];
    }
    if (!this.stopped.has(this.session.id)) {
      this.say('running');
      return [];
    }
    return this.page();
  }

  /** Requests a page of the tree: the first, or the one that a "more" row stands for. */
  private async page(after?: Item & { kind: 'more' }): Promise<Item[]> {
    let tree: Stacks;
    try {
      tree = await this.session?.customRequest('stackscope/stacks', after ? { cursor: after.next } : { by: this.by });
    } catch (e) {
      return [{ kind: 'note', text: e instanceof Error ? e.message : String(e) }];
    }
    if (!after) {
      this.say(await this.summary(tree));
      if (tree.stacks.length === 0) {
        return [{ kind: 'note', text: 'No stack is running: the script is between two commands.' }];
      }
    }
    // The first page starts over: another request may be under way.
    const listed = after ? this.listed : new Set<number>();
    this.listed = listed;
    const fresh = tree.stacks.filter(s => !listed.has(s.id));
    const before = listed.size;
    const note = (stacks: Stack[]) => stacks.forEach(s => {
      listed.add(s.id);
      note(s.children ?? []);
    });
    note(fresh);
    const items = fresh.map(item);
    items.push(...unlisted(tree.unlisted));
    const rest = after ? after.rest - (listed.size - before) : tree.omitted ?? 0;
    if (tree.next && rest > 0) {
      items.push({ kind: 'more', next: tree.next, rest, partial: tree.partial ?? false });
    } else if (rest > 0 && !after && this.by === 'parent') { // by scheduler they are counted by place
      items.push({ kind: 'note', text: `… ${rest} more` });
    }
    if (!after && tree.ended?.length) {
      items.push({ kind: 'ended', stacks: tree.ended });
    }
    return items;
  }

  /** Counts the stacks, those without a row too. If there are too many for the adapter to look at all, only their number is shown. */
  private async summary(tree: Stacks): Promise<string> {
    if (!tree.omitted) {
      return summary(states(tree.stacks), tree.finished);
    }
    if (tree.partial) {
      return `${many(tree.total - tree.omitted)} of up to ${many(tree.total)} stacks listed`;
    }
    const counted: Stacks | undefined = await this.session?.customRequest('stackscope/stacks', { group: 'state', exact: false, max: 1, holders: false }).then(t => t, () => undefined);
    const groups = counted?.partial ? undefined : counted?.groups;
    return groups ? summary(new Map(groups.map(g => [g.key, g.count])), tree.finished) : `${many(tree.total)} stacks`;
  }

  /** Shows a message above the rows, wherever the view is. */
  private say(text: string): void {
    if (this.view) {
      this.view.message = text || undefined;
    }
  }

  getTreeItem(item: Item): vscode.TreeItem {
    if (item.kind === 'note') {
      return new vscode.TreeItem(item.text);
    }
    if (item.kind === 'ended') {
      const row = new vscode.TreeItem('Ended', vscode.TreeItemCollapsibleState.Collapsed);
      row.description = `${item.stacks.length} still referred to`;
      row.tooltip = 'Stacks that have ended and that tables, globals, objects or variables still refer to';
      return row;
    }
    if (item.kind === 'more') {
      const text = `… ${item.partial ? 'up to ' : ''}${item.rest} more`;
      return new vscode.TreeItem(text, vscode.TreeItemCollapsibleState.Collapsed);
    }
    const s = item.stack;
    const open = s.children?.length || s.unlisted?.length ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
    const row = new vscode.TreeItem(s.name, open);
    // a row with its first child is a new row: otherwise the view would keep it closed
    row.id = `${this.session?.id}/${s.id}/${open}`;
    row.description = doing(s) + (s.queue ? ` · ${s.queue.position} of ${s.queue.of} in ${s.queue.in}` : '');
    row.iconPath = icon(s);
    row.tooltip = tooltip(s);
    row.accessibilityInformation = { label: s.title };
    if (s.state === 'moribund') {
      return row; // there is nothing to show of it
    }
    row.contextValue = 'stack';
    row.command = { command: 'stackscope.stacks.reveal', title: 'Show This Stack', arguments: [item] };
    return row;
  }

  /** Shows where a stack is, and asks the adapter to stop "on" it, so that the Call Stack view selects it. */
  async reveal(item: Item): Promise<void> {
    if (item.kind !== 'stack' || !this.session) {
      return;
    }
    await this.session.customRequest('stackscope/focus', { threadId: item.stack.id });
    const at = item.stack.at;
    if (!at?.file || !at.line) {
      return;
    }
    const place = new vscode.Position(at.line - 1, Math.max(0, (at.col ?? 1) - 1));
    try {
      const file = vscode.Uri.file(at.file);
      await vscode.window.showTextDocument(at.file.endsWith('.wasm') ? printedUri(file) : file, { selection: new vscode.Range(place, place), preserveFocus: true, preview: true });
    } catch {
      // Only the Call Stack view shows a source that is not a file.
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changed.dispose();
  }
}

function item(stack: Stack): Item {
  return { kind: 'stack', stack };
}

/** Returns rows for stacks that have none of their own, by where they stand. */
function unlisted(counts: Count[] | undefined): Item[] {
  return (counts ?? []).map(c => ({ kind: 'note', text: `${many(c.count)} × ${c.what}` }));
}

function short(at: Site | undefined): string {
  if (!at?.line) {
    return at?.func ?? 'the host';
  }
  const file = (at.file ?? '').split(/[\\/]/).pop();
  return `${file}:${at.line}`;
}

/** Returns the description after a stack's name: the function it is in, if not its first, and what it is doing. */
function doing(s: Stack): string {
  const where = s.function && !s.name.endsWith(s.function) ? `in ${s.function} · ` : '';
  switch (s.state) {
    case 'running':
      return `${where}running at ${short(s.at)}${s.pending ? ` · ${s.pending.tag} pending` : ''}`;
    case 'waiting':
      return `${where}waiting at ${short(s.at)}`;
    case 'suspended':
      return where + s.doing;
    default:
      return s.doing;
  }
}

function icon(s: Stack): vscode.ThemeIcon {
  switch (s.state) {
    case 'running':
      return new vscode.ThemeIcon('debug-stackframe', new vscode.ThemeColor('debugIcon.continueForeground'));
    case 'waiting':
      return new vscode.ThemeIcon('arrow-down', new vscode.ThemeColor('debugIcon.stepIntoForeground'));
    case 'suspended':
      return new vscode.ThemeIcon('debug-pause', new vscode.ThemeColor('debugIcon.pauseForeground'));
    case 'new':
      return new vscode.ThemeIcon('circle-outline');
    default:
      return new vscode.ThemeIcon('circle-slash');
  }
}

function tooltip(s: Stack): vscode.MarkdownString {
  const plain = (text: string) => new vscode.MarkdownString().appendText(text).value; // a name may have < and *
  const lines = [`**${plain(s.title)}**`, ''];
  const add = (label: string, value: string | undefined) => value && lines.push(`* ${label}: ${plain(value)}`);
  add('state', s.state + (s.dialect ? ` (${s.dialect})` : ''));
  if (s.at) {
    lines.push(`* at: ${plain(short(s.at))}${s.at.text ? ` \`${s.at.text}\`` : ''}`);
  }
  add('frames', String(s.frames));
  add('turns', s.resumes ? many(s.resumes) : undefined);
  add('pending event', s.pending && [s.pending.tag, ...(s.pending.values ?? [])].join(' '));
  add('end', s.end?.text);
  lines.push(...(s.details ?? []).map(d => `* ${plain(d)}`));
  return new vscode.MarkdownString(lines.join('\n'));
}

/** Counts the stacks of a tree by their states. */
function states(tree: Stack[]): Map<string, number> {
  const count = new Map<string, number>();
  const walk = (stacks: Stack[]) => stacks.forEach(s => {
    count.set(s.state, (count.get(s.state) ?? 0) + 1);
    walk(s.children ?? []);
  });
  walk(tree);
  return count;
}

function summary(count: Map<string, number>, finished: number | undefined): string {
  const parts = [...count].filter(([, n]) => n > 0).map(([state, n]) => `${many(n)} ${state === 'new' ? 'not started' : state}`);
  if (finished) {
    parts.push(`${many(finished)} finished`);
  }
  return parts.join(', ');
}

function many(n: number): string {
  return n.toLocaleString('en');
}
