// The walkthrough and its commands, and what one types: indentation by parentheses, names after a space, the type that a clause needs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { log } from '../vscode.mjs';

export const prepare = t => fs.writeFileSync(path.join(t.ws, 'typed.wat'), '');

export async function run(t) {
  const p = t.p;
  await t.v.command('Welcome: Open Walkthrough...');
  await p.locator('.quick-input-widget:visible input.input').fill('Stack Switching');
  await p.locator('.quick-input-list .monaco-list-row', { hasText: 'WebAssembly Stack Switching' }).first().waitFor({ timeout: 15000 });
  await p.keyboard.press('Enter');
  const step = p.locator('.getting-started-step, .step-container', { hasText: 'Open an example' }).first();
  await step.waitFor({ timeout: 15000 });
  await t.shot('85-walkthrough');
  await p.locator('.gettingStartedContainer .monaco-button', { hasText: 'Open the Example' }).first().click();
  await p.locator('.tabs-container .tab.active[data-resource-name="generator.wat"]').waitFor({ timeout: 15000 });
  t.did('stackscope.openExample');
  await t.command('WebAssembly: Open an Example Script');
  await p.locator('.tabs-container .tab.active[data-resource-name="generator.wast"]').waitFor({ timeout: 15000 });
  await p.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor({ timeout: 30000 });
  log('the walkthrough opens its examples');

  await t.open('typed.wat');
  await p.locator('.editor-instance .monaco-editor .view-lines').first().click();
  const lines = ['(module', '(func $f (param $x i32) (result i32)', '(i32.add', '(local.get $x)', '(i32.const 1)))', '(func $g', '(drop (call $f (i32.const 1)))))'];
  for (const [i, line] of lines.entries()) {
    if (i > 0) {
      await p.keyboard.press('Enter');
      await p.waitForTimeout(600);
    }
    for (const word of line.split(/(?<= )/)) {
      await p.keyboard.type(word, { delay: 15 });
    }
    await p.keyboard.press('Escape');
    await p.keyboard.press('Shift+End'); // the parentheses that closed themselves
    await p.keyboard.press('Delete');
  }
  await p.keyboard.press('Control+s');
  for (let left = 50; left > 0 && !t.read('typed.wat').includes('$g'); left--) await p.waitForTimeout(200); // on a busy machine saving takes a while
  await t.shot('86-indentation');
  const typed = t.read('typed.wat');
  log(JSON.stringify(typed));
  const indents = typed.split('\n').filter(l => l.trim()).map(l => [l.length - l.trimStart().length, l.trim()]);
  const at = text => indents.find(([, l]) => l.startsWith(text))?.[0];
  assert.deepEqual([at('(module'), at('(func $f'), at('(i32.add'), at('(local.get'), at('(func $g'), at('(drop')], [0, 2, 4, 6, 2, 4], typed);
}
