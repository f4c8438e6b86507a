// The states of a task beside its text: from the lens, and from the command palette.
import assert from 'node:assert/strict';
import { log } from '../vscode.mjs';

export const sessions = 0;
export const prepare = t => t.design('tasks/arena.wat', 'protocol.wat');

export async function run(t) {
  const p = t.p;
  await t.open('protocol.wat');
  const lens = p.locator('.codelens-decoration a', { hasText: 'Show Protocol' }).first();
  await lens.waitFor({ timeout: 20000 });
  const tab = p.locator('.tab', { hasText: 'Protocol of $adder' }).first();
  await t.until(tab, () => lens.click());
  const drawing = p.frameLocator('iframe.webview').frameLocator('iframe').first();
  await drawing.locator('svg').first().waitFor({ timeout: 15000 });
  const text = await drawing.locator('pre').innerText();
  log('protocol:', JSON.stringify(text));
  for (const part of ['new', 'suspended with $pause', 'retired with $finish', '$go_ahead', '$cancel']) assert(text.includes(part), `the page lacks ${part}`);
  await t.shot('27-protocol');

  // from the palette, of the function at the cursor; a function of the host's is none
  await t.command('View: Close All Editors');
  await t.open('protocol.wat');
  await t.reveal(t.lineOf('protocol.wat', '(func $adder') + 2);
  await t.command('WebAssembly: Show Protocol');
  await tab.waitFor({ timeout: 15000 });
  await drawing.locator('svg').first().waitFor({ timeout: 15000 });
}
