// The commands of the palette that no other scenario is about.
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => t.example('generator.wat');

export async function run(t) {
  const p = t.p;
  await t.open('generator.wat');
  await t.reveal(t.lineOf('generator.wat', '(resume $gen'));
  await p.locator('.codelens-decoration', { hasText: 'Debug' }).first().waitFor({ timeout: 15000 });
  await t.command("WebAssembly: Show the Language Server's Log");
  await p.locator('.panel .part-title, .panel .composite.title', { hasText: 'Output' }).first().waitFor({ timeout: 10000 });
  await t.command('WebAssembly: Restart the Language Server');
  await t.hover(p.locator('.view-line', { hasText: 'local.set $k' }).locator('span', { hasText: '$k' }).last(), 'cont [] -> []');
  log('the server answers after its restart');
  await p.keyboard.press('Escape');
  await t.command('WebAssembly: Run This File');
  await p.locator('.terminal-wrapper.active', { hasText: '(i64.const' }).first().waitFor({ timeout: 30000 }); // what the program returns
  await t.shot('70-run');
  await t.command('WebAssembly: Debug This File');
  await t.toolbar.waitFor({ timeout: 30000 });
  await t.command('WebAssembly: Refresh the Stacks');
  await t.stop();
}
