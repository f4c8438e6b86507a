// Attach to a program that is chosen among those that run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => t.example('generator.wat', 'picked.wat');

export async function run(t) {
  const p = t.p;
  const program = spawn(t.bin('wasm-dap'), ['run', '--listen', '127.0.0.1:0', '--wait', path.join(t.ws, 'picked.wat')],
    { env: { ...process.env, XDG_RUNTIME_DIR: t.v.tmp } }); // where the editor of the test looks for running programs
  const launch = path.join(t.ws, '.vscode/launch.json');
  try {
    const ended = new Promise(resolve => program.on('exit', resolve));
    await new Promise((resolve, reject) => {
      program.stderr.on('data', resolve);
      program.on('exit', code => reject(new Error(`wasm-dap run ended with code ${code}`)));
    });
    fs.writeFileSync(launch, JSON.stringify({ version: '0.2.0', configurations: [{ type: 'wasm', request: 'attach', name: 'Choose', connect: '${command:stackscope.pickProcess}', stopOnEntry: true }] }));
    await t.open('picked.wat');
    const row = t.quickInput.locator('.monaco-list-row', { hasText: `process ${program.pid}` }).first();
    for (let left = 5; ; left--) { // a key that comes before the configuration is read is lost
      await p.keyboard.press('F5');
      if (await row.waitFor({ timeout: 6000 }).then(() => true, () => false)) break;
      assert(left > 0, 'no program is offered');
    }
    assert.match(await row.innerText(), new RegExp(`127\\.0\\.0\\.1:\\d+ · process ${program.pid}`));
    await t.shot('88-pick');
    await row.click();
    await t.frame('picked.wat').waitFor({ timeout: 30000 });
    log('attached to the program that was chosen');
    await t.stop();
    assert.equal(await ended, 0);
  } finally {
    program.kill();
    fs.rmSync(launch, { force: true });
  }
}
