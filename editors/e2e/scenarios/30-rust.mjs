// A Rust program in its source: String, &str, Vec, Option, Result, an enum with data, a closure.
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => t.program('rust/tasks');
const file = 'rust/tasks.rs';

export async function run(t) {
  const p = t.p;
  await t.stopIn(file, 'Ok(Task { id, title, state');
  await t.calls('parse', 'main');
  log('variables:', JSON.stringify(await t.variables()));
  await t.value('id', '1');
  await t.value('line', '1 plan done 90');
  await t.value('title', 'plan');
  await t.value('state', 'Done(90)');
  await t.shot('30-rust-stopped');
  await t.hoverWord('let first = words', 'first', '1');
  await t.watch('id + 41', '42');
  await t.stepOut('parse', file, 'match parse(line)');
  await t.stepTo('F10', file, 'Ok(task) => tasks.push');
  await t.showWatAndBack(file);

  // into a closure that std calls
  await t.command('Remove All Breakpoints');
  await t.open(file);
  const closure = t.lineOf(file, 'let scaled =');
  await t.breakpointAt(closure + 1);
  await t.stepped('F5', `${closure + 1}:`);
  await t.value('tasks');

  // into a generic function and a method of a trait, and out of both
  await t.command('Remove All Breakpoints');
  const best = t.lineOf(file, 'let best = largest');
  await t.breakpointAt(best);
  await t.stepped('F5', `${best}:`);
  await t.command('Remove All Breakpoints');
  await t.stepTo('F11', file, 'let mut best');
  await t.calls('largest', 'main');
  await t.stepTo('F10', file, 'for item in items');
  await t.stepTo('F10', file, 'let cost = item.cost();');
  await t.stepTo('F11', file, 'match &self.state');
  await t.calls('::cost', 'largest', 'main');
  await t.value('self');
  await t.stepOut('::cost', file, 'let cost = item.cost();');
  await t.stepTo('F10', file, 'if best.map_or');
  await t.value('cost', '90');
  await t.stepOut('largest', file, 'let best = largest');
  await p.keyboard.press('F5');
  await t.ended();
}
