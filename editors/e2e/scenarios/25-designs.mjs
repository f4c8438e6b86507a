// One program of each design: a breakpoint at a clause, a step over and into a switch, and the name of a stack that has ended.
import assert from 'node:assert/strict';
import { log } from '../vscode.mjs';

// clause: the line at which an event, or a message, arrives. switching: the line that gives control away. over: where this stack goes
// on after it. into: the first place of the other stack. end: a line at which the first stack has ended. dead: what the debugger then
// says of it, as the value of ref.
const designs = {
  cont: {
    clause: '(on $yield $on_yield)', switching: '(resume $ct', over: '(local.set $k)', into: '(local.set $i (i32.add', other: '$careful',
    end: '(i32.add))', ref: '$k', dead: '#2 $careful · consumed, cancelled by #1',
    edit: text => text.replace('(resume $ct (on $yield $on_yield) (local.get $k))', '(resume $ct\n              (on $yield $on_yield)\n              (local.get $k))'),
  },
  stacks: {
    clause: '(local.set $thread)', switching: '(switch $thread (i32.const 0)', over: '(local.set $thread)', into: '(block $on_cancel', other: '$adder',
    end: '(global.get $cancelled))', ref: '$threads[0]', dead: '#2 $adder · consumed, switched to by #1',
  },
  'fibers-mount': {
    clause: '(func $adder', switching: '(fiber.mount $go_ahead', over: '(local.set $i (i32.rem_u', into: '(block $on_cancel', other: '$adder',
    end: '(global.get $cancelled))', ref: '$threads[0]', dead: '#2 $adder · finished, returned with $finish',
  },
  'fibers-handle': {
    clause: '(event $pause', switching: '(local.set $total (fiber.resume $go_ahead', over: '(event $pause', into: '(event $go_ahead', other: '$adder',
    end: '(global.get $cancelled))', ref: '$threads[0]', dead: '#2 $adder · finished, returned',
  },
  tasks: {
    clause: '(event.switch ($pause $on_pause)', switching: '(task.resume (table.get $threads (local.get $i)) ($go_ahead))', over: '(event.switch ($pause $on_pause)',
    into: '(block $on_cancel', other: '$adder', end: '(global.get $cancelled))', ref: '$threads[0]', dead: '#2 $adder · finished, retired with $finish',
  },
};
export const sessions = Object.keys(designs).length;
const file = d => `${d}-arena.wat`;

export function prepare(t) {
  for (const [d, { edit }] of Object.entries(designs)) {
    t.design(`${d}/${d === 'cont' ? 'cancel' : 'arena'}.wat`, file(d));
    if (edit) t.write(file(d), edit(t.text(file(d))));
  }
}

/** The Stacks view, grouped by who manages the stacks, and back. */
async function byScheduler(t) {
  const level = async name => Number(await t.stack(name).getAttribute('aria-level'));
  await t.stack('#2 $adder').waitFor({ timeout: 15000 });
  assert.equal(await level('#2 $adder'), 1, 'a suspended task has no parent');
  await t.until(t.stacksPane.locator('.monaco-list-row[aria-level="2"]', { hasText: '#2 $adder' }), () => t.command('WebAssembly: Group the Stacks by Scheduler'));
  log('by scheduler:', JSON.stringify(await t.stacks()));
  assert.equal(await level('#1 main'), 1);
  await t.shot('25-by-scheduler');
  await t.until(t.stacksPane.locator('.monaco-list-row[aria-level="1"]', { hasText: '#2 $adder' }), () => t.command('WebAssembly: Group the Stacks by Parent'));
}

export async function run(t) {
  const p = t.p;
  for (const [d, s] of Object.entries(designs)) {
    const breakAt = async text => { // of a line that may be out of view
      await t.reveal(t.lineOf(file(d), text));
      await t.breakpoint(text);
    };
    const line = text => `${t.lineOf(file(d), text)}:`;
    await t.open(file(d));

    // a breakpoint at the clause, reached
    await breakAt(s.clause);
    await t.start();
    const arrival = d === 'fibers-mount' ? s.into : s.clause; // the line of a function is moved to its first instruction
    await t.frame(line(arrival)).waitFor({ timeout: 30000 });
    log(d, 'at the clause:', JSON.stringify(await t.frames()));
    await t.shot(`25-${d}-clause`);
    await t.command('Remove All Breakpoints');

    // the line that switches: over it on this stack, and the next time into it
    await breakAt(s.switching);
    await t.continueTo(line(s.switching));
    await t.stepped('F10', line(s.over));
    await t.frame('#1 main · running').waitFor({ timeout: 15000 });
    await t.continueTo(line(s.switching));
    await p.keyboard.press('F11');
    await p.locator('.debug-call-stack .monaco-list-row', { hasText: s.other }).filter({ hasText: 'running' }).first().waitFor({ timeout: 15000 });
    await t.frame(line(s.into)).waitFor({ timeout: 15000 });
    log(d, 'stepped into:', JSON.stringify(await t.frames()));
    await t.shot(`25-${d}-into`);
    if (d === 'tasks') await byScheduler(t);
    await t.command('Remove All Breakpoints');

    // the first stack has ended: it keeps its number and its name, and how it ended
    await breakAt(s.end);
    await p.keyboard.press('F5');
    await t.frame(line(s.end)).waitFor({ timeout: 15000 });
    const said = await t.evaluate(s.ref);
    log(d, s.ref, '=', JSON.stringify(said));
    assert(said.includes(s.dead), `${d}: ${s.ref} is ${said}`);
    await t.shot(`25-${d}-ended`);
    await t.command('Remove All Breakpoints');
    await p.keyboard.press('F5');
    await t.ended();
    await t.command('View: Close All Editors');
  }
}
