// A handler label of the wrong type: squiggle, problem, hover, quick fix.
import assert from 'node:assert/strict';
import { log } from '../vscode.mjs';

export const prepare = t => t.example('wrong/label.wat');

export async function run(t) {
  const p = t.p;
  await t.open('label.wat');
  assert.match(await t.language.innerText(), /WebAssembly Text/);
  await t.command('View: Focus Problems').catch(() => t.command('Problems: Focus on Problems View'));
  const problem = p.locator('.markers-panel .monaco-list-row', { hasText: 'handler-label' }).first();
  await problem.waitFor({ timeout: 30000 });
  await problem.click();
  await p.locator('.monaco-editor .squiggly-error').first().waitFor({ timeout: 15000 });
  log('problem:', (await problem.innerText()).replace(/\s+/g, ' '));
  await t.shot('10-wrong-label');
  const label = p.locator('.view-line', { hasText: 'resume' }).locator('span', { hasText: '$on_yield' }).last();
  await t.hover(label, 'it needs');
  await t.shot('11-hover');
  await p.keyboard.press('Escape');
  await label.click();
  const fix = p.locator('.action-widget .monaco-list-row.action').first();
  for (let left = 5; ; left--) { // on a busy machine the key may come while the editor is about to show a hover, and is lost
    await p.keyboard.press('Control+.');
    if (await fix.waitFor({ timeout: 4000 }).then(() => true, () => false)) break;
    assert(left > 0, 'no quick fix is offered');
    await p.keyboard.press('Escape');
  }
  log('fix:', (await fix.innerText()).replace(/\s+/g, ' '));
  await t.shot('12-quick-fix');
  await p.keyboard.press('Enter');
  await p.locator('.monaco-editor .squiggly-error').first().waitFor({ state: 'detached', timeout: 15000 });
  await t.editorLine('(block $on_yield (result i64 (ref $gen))').waitFor({ timeout: 5000 });
  await t.shot('13-fixed');
  await p.keyboard.press('Control+z');
  await p.locator('.monaco-editor .squiggly-error').first().waitFor({ timeout: 15000 });
  await t.command('WebAssembly: Explain a Diagnostic');
  await p.locator('.quick-input-list .monaco-list-row', { hasText: 'handler-label' }).first().waitFor({ timeout: 15000 });
  await p.keyboard.press('Escape');
  await p.keyboard.press('Control+Shift+z');
  await p.keyboard.press('Control+s');
  await p.keyboard.press('Control+j');
}
