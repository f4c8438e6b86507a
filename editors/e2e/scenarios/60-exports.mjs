// The ways to run and debug an export: lenses, the palette, the button of the editor, F5, launch.json. Arguments are asked for,
// checked while they are typed, and remembered.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { log } from '../vscode.mjs';

export const sessions = 6;
export const settings = { 'terminal.integrated.gpuAcceleration': 'off' }; // the text of the terminal can be read

const program = `(module
  (func $alpha (export "alpha") (param $n i32) (result i32)
    (i32.add (local.get $n) (i32.const 40)))
  (func $beta (export "beta") (param $a i64) (param $b f64) (result f64)
    (f64.add (f64.convert_i64_s (local.get $a)) (local.get $b)))
  (func $gamma (export "gamma") (result i32)
    (i32.const 7)))
`;

export function prepare(t) {
  fs.writeFileSync(path.join(t.ws, 'three.wat'), program);
  t.wasmLS('build', '-o', path.join(t.ws, 'packed3.wasm'), path.join(t.ws, 'three.wat'));
}

export async function run(t) {
  const p = t.p;
  const input = p.locator('.quick-input-widget:visible input.input');
  const rows = p.locator('.quick-input-list .monaco-list-row');
  const message = p.locator('.quick-input-widget:visible .quick-input-message');
  const terminal = async text => {
    for (let i = 0; i < 60; i++) {
      if ((await p.locator('.xterm-rows').allInnerTexts()).join('\n').replace(/\u00a0/g, ' ').includes(text)) return;
      await p.waitForTimeout(250);
    }
    await t.shot('60-no-output');
    assert.fail(`the terminal does not show ${text}: ${JSON.stringify(await p.locator('.xterm-rows').allInnerTexts())}`);
  };
  const lens = (title, fn) => p.locator('.codelens-decoration').filter({ hasText: 'Debug' }).nth(fn).locator('a', { hasText: title });
  const asked = what => p.locator('.quick-input-widget:visible .quick-input-title', { hasText: what }).waitFor({ timeout: 15000 });
  const choose = async name => { await input.fill(name); await p.keyboard.press('Enter'); };
  const list = p.locator('.quick-input-widget:visible input[placeholder="The export to call"]'); // the palette has rows, too
  const picking = async (...keys) => {
    await t.until(list, async () => { for (const key of keys) await p.keyboard.press(key); });
    await rows.nth(2).waitFor({ timeout: 15000 });
  };
  const answer = async text => { await input.fill(text); await p.keyboard.press('Enter'); await input.waitFor({ state: 'hidden', timeout: 10000 }); };
  const stoppedIn = async (fn, ...values) => {
    await t.frame(fn).waitFor({ timeout: 30000 });
    for (const v of values) await t.variable(v).waitFor({ timeout: 15000 });
  };

  // Run above an export with a parameter: what does not fit is refused with the reason, and the result is right
  await t.open('three.wat');
  await lens('Run', 0).waitFor({ timeout: 15000 });
  await lens('Run', 0).click();
  t.did('stackscope.run');
  await asked(/Arguments of alpha/);
  assert.match(await message.innerText(), /\(param \$n i32\)/);
  await t.shot('60-arguments');
  await p.keyboard.press('Enter');
  await message.filter({ hasText: 'takes 1 argument, not 0' }).waitFor({ timeout: 5000 });
  await input.fill('two');
  await message.filter({ hasText: 'argument `two` is not a number of type i32' }).waitFor({ timeout: 5000 });
  await p.keyboard.press('Enter');
  await p.waitForTimeout(300);
  assert(await input.isVisible(), 'wrong arguments were accepted');
  await t.shot('60-wrong-argument');
  await input.fill('1 2');
  await message.filter({ hasText: 'takes 1 argument, not 2' }).waitFor({ timeout: 5000 });
  await answer('2');
  await terminal('(i32.const 42)');
  await t.shot('61-lens-run');

  // the second time they are remembered; Debug has the same ones, and the program has the value
  await lens('Run', 0).click();
  await asked(/Arguments of alpha/);
  assert.equal(await input.inputValue(), '2');
  await answer('3');
  await terminal('(i32.const 43)');
  await lens('Debug', 0).click();
  t.did('stackscope.debug');
  await asked(/Arguments of alpha/);
  assert.equal(await input.inputValue(), '3');
  await answer('-5');
  await stoppedIn('$alpha', '-5');
  await t.shot('62-lens-debug');
  await t.stop();
  await lens('Debug', 1).click();
  await asked(/Arguments of beta/);
  await answer('1, 0.5');
  await stoppedIn('$beta', '0.5');
  await t.stop();

  // the palette always offers the exports, the last one first
  await t.command('WebAssembly: Run an Export…');
  await picking();
  log('exports:', JSON.stringify((await rows.allInnerTexts()).map(s => s.replace(/\s+/g, ' '))));
  await t.shot('63-pick');
  assert.match((await rows.allInnerTexts()).join('\n'), /beta[^]*\(param \$a i64\) \(param \$b f64\) \(result f64\)/);
  await answer('gamma');
  await terminal('(i32.const 7)');
  await t.command('WebAssembly: Debug an Export…');
  await picking();
  assert.match(await rows.first().innerText(), /gamma/);
  await choose('alpha');
  await asked(/Arguments of alpha/);
  await answer('9');
  await stoppedIn('$alpha', '9');
  await t.stop();

  // the button of the editor, and F5: nothing decides which of the three runs, so they ask
  await p.locator('.editor-actions .action-label[aria-label^="Run This File"], .editor-actions a[aria-label*="Run This File"]').first().click();
  t.did('stackscope.runFile');
  await picking();
  await answer('gamma');
  await terminal('(i32.const 7)');
  await t.command('WebAssembly: Debug This File');
  await picking();
  await p.keyboard.press('Escape');
  await input.waitFor({ state: 'hidden', timeout: 10000 });
  assert(!await t.toolbar.isVisible(), 'a session began though nothing was chosen');
  await picking('F5');
  await choose('beta');
  await asked(/Arguments of beta/);
  assert.equal(await input.inputValue(), '1, 0.5');
  await answer('2 0.25');
  await stoppedIn('$beta', '0.25');
  await t.shot('64-f5');
  await t.stop();

  // a binary module has the same exports
  await t.open('packed3.wasm', 'packed3.wasm.wat');
  await t.editorLine('(module').waitFor({ timeout: 30000 });
  await picking('F5');
  assert.match((await rows.allInnerTexts()).join('\n'), /alpha[^]*\(param \$n i32\) \(result i32\)/);
  await choose('alpha');
  await asked(/Arguments of alpha/);
  await answer('11');
  await stoppedIn('$alpha', '11');
  await t.shot('65-binary');
  await t.stop();

  // launch.json: invoke is completed with the exports of its program; arguments that it does not have are asked for
  const launch = path.join(t.ws, '.vscode/launch.json');
  fs.writeFileSync(launch, `{
  // the exports of three.wat
  "version": "0.2.0",
  "configurations": [
    { "type": "wasm", "request": "launch", "name": "Three", "program": "\${workspaceFolder}/three.wat",
      "invoke": "" },
  ]
}
`);
  try {
    await t.open('launch.json');
    await t.reveal(6);
    await p.keyboard.press('End');
    for (let i = 0; i < 4; i++) await p.keyboard.press('ArrowLeft'); // between the quotes
    const offer = p.locator('.suggest-widget .monaco-list-row', { hasText: 'beta' }).first();
    for (let left = 4; ; left--) {
      await p.keyboard.press('Control+Space');
      if (await offer.waitFor({ timeout: 4000 }).then(() => true, () => false)) break;
      assert(left > 0, 'launch.json does not offer the exports');
      await p.keyboard.press('Escape');
    }
    await t.shot('66-launch-json');
    await offer.click();
    await t.editorLine('"invoke": "beta"').waitFor({ timeout: 5000 });
    await p.keyboard.press('Control+s');
    await t.until(p.locator('.quick-input-widget:visible .quick-input-title', { hasText: 'Arguments of beta' }), () => p.keyboard.press('F5'));
    await answer('5 0.75');
    await stoppedIn('$beta', '0.75');
    await t.stop();
  } finally {
    fs.rmSync(launch, { force: true });
  }
}
