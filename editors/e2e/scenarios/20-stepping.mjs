// A hover on a continuation, a breakpoint, F5, the threads, steps over, into and out of a resume, the Stacks view.
import assert from 'node:assert/strict';
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => t.example('generator.wat');

/** What the status bar says of a selection, '' if there is none. */
async function selected(t) {
  const status = await t.p.locator('#status\\.editor\\.selection').innerText();
  return /\(.* selected\)/.exec(status)?.[0] ?? '';
}

export async function run(t) {
  const p = t.p;
  await t.open('generator.wat');
  const resume = t.lineOf('generator.wat', '(resume $gen'), onYield = t.lineOf('generator.wat', '(local.set $k)');
  await t.reveal(resume);
  await p.locator('.codelens-decoration', { hasText: 'Debug' }).first().waitFor({ timeout: 15000 });
  const card = await t.hover(p.locator('.view-line', { hasText: 'local.set $k' }).locator('span', { hasText: '$k' }).last(), 'cont [] -> []');
  log('hover:', (await card.innerText()).replace(/\s+/g, ' ').slice(0, 200));
  await t.shot('20-hover-continuation');
  await p.keyboard.press('Escape');
  await t.breakpoint('resume $gen');
  await t.start();
  await t.frame(`${resume}:`).waitFor({ timeout: 30000 });
  await t.variable('$k').waitFor({ timeout: 15000 });
  log('at the resume:', JSON.stringify(await t.frames()), JSON.stringify(await t.variables()));
  await t.shot('21-at-the-resume');

  // a key that is pressed while the program stands adds a character and takes none away
  const line = async () => (await t.editorLine('resume $gen').innerText()).replace(/\u00a0/g, ' ').replace(/\)[^)]*$/, ')'); // without what the debugger shows after it
  assert.equal(await selected(t), '', 'the stop selects text');
  const before = await line();
  await p.keyboard.type('x');
  await p.keyboard.press('Escape');
  const after = await line();
  assert.equal(after, before.replace('(resume', 'x(resume'));
  await p.keyboard.press('Control+z');
  assert.equal(await line(), before);

  // over the resume: this stack continues at its handler
  await t.stepped('F10', `${onYield}:`);
  await t.frame('suspended').waitFor({ timeout: 15000 });
  log('threads:', JSON.stringify(await t.frames()));
  await t.stack('$elements').waitFor({ timeout: 15000 });
  log('stacks:', JSON.stringify(await t.stacks()));
  // the view opened by itself, with totals, and the keyboard stayed in the editor
  await t.stacksPane.locator('.message', { hasText: '1 running, 1 suspended' }).waitFor({ timeout: 10000 });
  assert.equal(await p.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null), true, 'the Stacks view took the focus');
  await t.shot('30-stepped-over');

  // once more round to the resume, and into it: control goes to the generator, after its suspend
  await p.keyboard.press('F5');
  await t.frame(`${resume}:`).waitFor({ timeout: 15000 });
  await p.keyboard.press('F11');
  await t.frame('#2 $elements · running').waitFor({ timeout: 15000 });
  log('stepped into:', JSON.stringify(await t.frames()));
  await t.stack('waiting').waitFor({ timeout: 15000 });
  await t.stack('running').waitFor({ timeout: 15000 });
  await t.variable('$i').waitFor({ timeout: 15000 });
  log('stacks:', JSON.stringify(await t.stacks()));
  await t.shot('31-stepped-into');

  // a click in the Stacks view shows where that stack is
  await t.stack('waiting').click();
  t.did('stackscope.stacks.reveal');
  await t.variable('$k').waitFor({ timeout: 15000 });
  await t.shot('32-stack-clicked');

  // back on the generator and out of it: without the breakpoint it runs to its end, where its resumer goes on
  await t.stack('running').click();
  await t.variable('$i').waitFor({ timeout: 15000 });
  await t.command('Remove All Breakpoints');
  await p.keyboard.press('Shift+F11');
  await t.frame(`${t.lineOf('generator.wat', '(return (local.get $sum))')}:`).waitFor({ timeout: 15000 });
  await p.locator('.debug-call-stack .monaco-list-row', { hasText: '$elements' }).first().waitFor({ state: 'detached', timeout: 15000 });
  log('stepped out:', JSON.stringify(await t.frames()));
  // at the parenthesis that ends a function the other ones stay dark
  const top = () => p.locator('.debug-call-stack .monaco-list-row').first().innerText({ timeout: 5000 });
  for (let i = 0, at = await top(); i < 20 && !at.includes('"main"'); i++) {
    await p.keyboard.press('F10');
    const before = at; // one step after the other: a second key that comes too early steps out of the program
    for (let k = 0; k < 50 && at === before; k++) {
      await p.waitForTimeout(100);
      at = await top();
    }
  }
  await t.shot('34-at-the-end');
  assert.equal(await selected(t), '', 'the stop selects text');
  assert.equal(await p.locator('.cdr.selectionHighlight, .cdr.selected-text').count(), 0, 'the stop lights up other text');
  await t.shot('33-stepped-out');
  await p.keyboard.press('F5');
  await t.ended();
  assert.equal(await selected(t), '', 'the session leaves a selection');
  await t.shot('40-ended');
}
