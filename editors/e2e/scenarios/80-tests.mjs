// The Test Explorer: a script is a suite; a lens above a command runs it; a failure shows the difference; debugging one command.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => fs.writeFileSync(path.join(t.ws, 'sums.wast'), `(module
  (global $n (mut i32) (i32.const 0))
  (func $next (export "next") (result i32)
    (global.set $n (i32.add (global.get $n) (i32.const 1)))
    (global.get $n)))
(register "sums")
(assert_return (invoke "next") (i32.const 1))
(assert_return (invoke "next") (i32.const 7))
(assert_return (invoke "next") (i32.const 3))
`);

export async function run(t) {
  const p = t.p;
  await t.open('sums.wast');
  // One reference in the module itself would be none: the three commands count.
  await p.locator('.codelens-decoration', { hasText: '3 references' }).first().waitFor({ timeout: 30000 });
  const lenses = p.locator('.codelens-decoration a', { hasText: 'Run' });
  await lenses.nth(2).waitFor({ timeout: 15000 });
  await t.shot('80-script-lenses');
  // The lens above the first assertion: it passes. The lens above the second one: it fails, with both values in the editor.
  await lenses.nth(0).click();
  await p.locator('.glyph-margin-widgets .codicon-testing-passed-icon, .testing-run-glyph.codicon-testing-passed-icon').first().waitFor({ timeout: 30000 });
  await lenses.nth(1).click();
  await p.locator('.codicon-testing-failed-icon, .codicon-testing-error-icon').first().waitFor({ timeout: 30000 });
  log('lenses ran a command that passes and one that fails');
  await t.v.command('Test: Peek Output').catch(() => undefined);
  const diff = p.locator('.test-output-peek .monaco-diff-editor, .test-output-peek-message-container .monaco-diff-editor').first();
  await diff.waitFor({ timeout: 30000 });
  await p.waitForTimeout(1000);
  const text = (await diff.innerText()).replace(/\u00a0/g, ' ');
  assert.match(text, /i32\.const 2/);
  assert.match(text, /i32\.const 7/);
  await t.shot('81-test-diff');
  await p.keyboard.press('Escape');
  // The whole script from the Test Explorer.
  await t.v.command('Testing: Focus on Test Explorer View');
  await p.locator('.test-explorer .monaco-list-row', { hasText: 'sums.wast' }).first().waitFor({ timeout: 15000 });
  await t.v.command('Test: Run All Tests');
  await p.locator('.test-explorer', { hasText: /2\/\d/ }).first().waitFor({ timeout: 30000 });
  await t.shot('82-test-explorer');
  log('the Test Explorer counts the two that pass');
  // Debug one command: it stops at that command, not at the module.
  await t.open('sums.wast');
  await p.locator('.codelens-decoration a', { hasText: 'Debug' }).nth(2).click();
  await t.frame('assert_return "next"').waitFor({ timeout: 30000 });
  await p.keyboard.press('F11');
  await t.frame('$next').waitFor({ timeout: 15000 });
  await t.variable('$n').waitFor({ timeout: 5000 }).catch(() => undefined);
  await t.shot('83-debug-command');
  await p.keyboard.press('F5');
  await t.ended();
}
