// A program that runs on its own waits for its first session: the editor attaches, stops it, sees its stacks, and leaves it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => t.example('generator.wat');

export async function run(t) {
  const program = spawn(t.bin('wasm-dap'), ['run', '--listen', '127.0.0.1:0', '--wait', path.join(t.ws, 'generator.wat')]);
  const launch = path.join(t.ws, '.vscode/launch.json');
  try {
    let result = '';
    program.stdout.on('data', text => { result += text; });
    const ended = new Promise(resolve => program.on('exit', resolve));
    const connect = await new Promise((resolve, reject) => {
      let said = '';
      program.stderr.on('data', text => { said += text; const at = /127\.0\.0\.1:\d+/.exec(said); if (at) resolve(at[0]); });
      program.on('exit', code => reject(new Error(`wasm-dap run ended with code ${code}: ${said}`)));
    });
    fs.writeFileSync(launch, JSON.stringify({ version: '0.2.0', configurations: [{ type: 'wasm', request: 'attach', name: 'Attach', connect }] }));
    await t.open('generator.wat');
    const onYield = t.lineOf('generator.wat', '(local.set $k)');
    await t.reveal(onYield);
    await t.breakpoint('local.set $k');
    await t.start();
    await t.frame(`${onYield}:`).waitFor({ timeout: 30000 });
    await t.frame('#2 $elements · suspended').waitFor({ timeout: 15000 });
    await t.variable('$k').waitFor({ timeout: 15000 });
    await t.stacksPane.waitFor({ timeout: 15000 });
    await t.stack('$elements').waitFor({ timeout: 15000 });
    log('attached:', JSON.stringify(await t.frames()));
    await t.shot('60-attached');
    await t.stop(); // disconnects: the program goes on to its end
    assert.equal(await ended, 0);
    assert.match(result, /\(i64\.const \d+\)/);
    log('left alone, it gives', result.trim());
  } finally {
    program.kill();
    fs.rmSync(launch, { force: true });
  }
}
