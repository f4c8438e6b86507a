// Programs that cannot run as they are: a module with errors, a script with errors, and a module that exports nothing.
import assert from 'node:assert/strict';
import { log } from '../vscode.mjs';

export const sessions = 2;

export function prepare(t) {
  t.write('broken.wat', '(module\n  (func (export "main") (result i32)\n    (i64.const 0)))\n');
  t.write('half.wast', '(module (func (export "f") (result i32) (i32.const 1)))\n(module $bad (func (result i32)))\n(assert_return (invoke "f") (i32.const 1))\n');
  t.write('quiet.wat', '(module\n  (func $add (param i32) (result i32)\n    (local.get 0))\n  (func (param $x i64)))\n');
}

export async function run(t) {
  const p = t.p, input = p.locator('.quick-input-widget:visible input.input');
  const button = text => t.dialog.locator('.monaco-button', { hasText: text }).first();

  // errors are shown before anything starts, with names as the workspace has them
  await t.open('broken.wat');
  await p.locator('.monaco-editor .squiggly-error').first().waitFor({ timeout: 15000 });
  await t.until(t.dialog, () => p.keyboard.press('F5'));
  const said = await t.dialog.innerText();
  log('errors:', JSON.stringify(said));
  assert.match(said, /broken\.wat has an error/);
  assert.match(said, /Line 3: type mismatch/);
  assert.doesNotMatch(said, /\/work|\/ws\//, 'the dialog has an absolute path');
  await t.shot('67-errors');
  await button('Show Problems').click();
  await p.locator('.markers-panel .monaco-list-row', { hasText: 'type mismatch' }).first().waitFor({ timeout: 15000 });
  assert(!await t.toolbar.isVisible(), 'a session began');

  // of a script the rest can run
  await t.open('half.wast');
  await p.locator('.monaco-editor .squiggly-error').first().waitFor({ timeout: 15000 });
  await t.until(t.dialog, () => p.keyboard.press('F5'));
  await t.shot('67-script');
  await button('Debug Anyway').click();
  await t.toolbar.waitFor({ timeout: 30000 });
  await t.stop();

  // nothing exported: a function is, and runs
  await t.open('quiet.wat');
  await t.until(t.dialog, () => p.keyboard.press('F5'));
  assert.match(await t.dialog.innerText(), /quiet\.wat exports no function/);
  await t.shot('68-nothing');
  await button('Export a Function').click();
  await p.locator('.quick-input-list .monaco-list-row', { hasText: '$add' }).first().waitFor({ timeout: 15000 });
  await input.fill('$add');
  await p.keyboard.press('Enter');
  await p.locator('.quick-input-widget:visible .quick-input-title', { hasText: 'Arguments of add' }).waitFor({ timeout: 15000 });
  await input.fill('12');
  await p.keyboard.press('Enter');
  await t.variable('12').waitFor({ timeout: 30000 });
  assert.match(t.read('quiet.wat'), /\(func \$add \(export "add"\) \(param i32\)/);
  await t.shot('69-exported');
  await t.stop();
}
