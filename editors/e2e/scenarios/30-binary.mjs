// A binary module opens as text, read-only, with hovers; a breakpoint in it stops there, also after the window is loaded again.
import assert from 'node:assert/strict';
import path from 'node:path';
import { log } from '../vscode.mjs';

export const sessions = 2;
let printed;

export function prepare(t) { // the binary module has names of its own and nothing else beside it that would have the same text
  t.example('generator.wat');
  t.wasmLS('build', '-o', path.join(t.ws, 'packed.wasm'), path.join(t.ws, 'generator.wat'));
  printed = t.wasmLS('print', path.join(t.ws, 'packed.wasm')).split('\n');
}

export async function run(t) {
  const p = t.p, resume = printed.findIndex(l => l.includes('resume $gen')) + 1;
  await t.command('View: Show Explorer');
  await t.until(p.locator('.tabs-container .tab.active[data-resource-name="packed.wasm.wat"]'), async () => { // a menu that still opens ignores clicks
    await p.keyboard.press('Escape');
    await p.locator('.explorer-folders-view .monaco-list-row', { hasText: 'packed.wasm' }).click({ button: 'right' });
    const entry = p.locator('.context-view .action-item', { hasText: 'Open a Binary Module as Text' }).first();
    try {
      await entry.hover({ timeout: 5000 });
      await p.waitForTimeout(700);
      await entry.click({ timeout: 5000 });
    } catch { /* the menu did not open, or is gone: again */ }
  });
  t.did('stackscope.openWasm');
  await t.command('View: Close All Editors');
  await t.open('packed.wasm', 'packed.wasm.wat');
  await t.editorLine('(module').waitFor({ timeout: 30000 });
  await t.shot('50-binary-as-text');
  await t.reveal(resume);
  const packed = t.editorLine('resume $gen');
  await packed.waitFor({ timeout: 15000 });
  assert.match(await t.language.innerText(), /WebAssembly Text/);
  assert.equal(await p.locator('.monaco-editor .squiggly-error').count(), 0);
  const set = p.locator('.view-line', { hasText: 'local.set' }).locator('span', { hasText: '$k' }).last();
  log('hover in the binary:', (await (await t.hover(set, 'cont [] -> []')).innerText()).replace(/\s+/g, ' ').slice(0, 120));
  await t.shot('51-hover');
  await p.keyboard.press('Escape');
  await t.breakpoint('resume $gen');
  await t.start();
  const stopped = async () => {
    await t.frame('packed.wasm').waitFor({ timeout: 30000 });
    await p.locator('.codicon-debug-stackframe, .codicon-debug-breakpoint-stackframe').first().waitFor({ timeout: 15000 });
    await t.variable('$k').waitFor({ timeout: 15000 });
    assert.equal(await p.locator('.tabs-container .tab').count(), 1, 'the debugger opened another editor');
  };
  await stopped();
  log('stopped in the binary:', JSON.stringify(await t.frames()));
  await t.shot('52-stopped-in-binary');
  await t.stop();

  // after a reload of the window the text, its language and the breakpoint are there again, and hold
  await t.v.reload();
  await p.locator('.tabs-container .tab.active[data-resource-name="packed.wasm.wat"]').waitFor({ timeout: 30000 });
  await p.locator('.view-line', { hasText: /[a-z]/ }).first().waitFor({ timeout: 30000 });
  await t.reveal(resume); // a window that was reloaded early may not know how far down it was
  await packed.waitFor({ timeout: 30000 });
  await p.locator('#status\\.editor\\.mode', { hasText: 'WebAssembly Text' }).waitFor({ timeout: 15000 });
  await p.locator('.codicon-debug-breakpoint').first().waitFor({ timeout: 15000 });
  await t.shot('53-reloaded');
  await packed.click();
  await p.keyboard.press('F5');
  await stopped();
  await t.shot('54-stopped-after-reload');
  await t.stop();
}
