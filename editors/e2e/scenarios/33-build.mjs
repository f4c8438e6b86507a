// F5 on a source without a program: the debugger says so and offers a task that builds it. The compiler is a script that copies a
// program and warns.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

export const sessions = 2;
export const machine = { 'stackscope.compilers': { clang: ['sh', 'build/clang.sh'] } };
const file = 'build/stock.c';

export function prepare(t) {
  t.program('c/stock', 'build');
  fs.renameSync(path.join(t.ws, 'build/stock.wasm'), path.join(t.ws, 'build/stock.built'));
  for (const f of ['tasks.json', 'launch.json']) fs.rmSync(path.join(t.ws, '.vscode', f), { force: true });
  t.write('build/clang.sh', `while [ $# -gt 0 ]; do case $1 in -o) out=$2;; *.c) source=$1;; esac; shift; done
echo "$source:36:5: warning: this is no compiler"
cp build/stock.built "$out"
`);
}

export async function run(t) {
  const p = t.p;
  await t.open(file);
  const line = t.lineOf(file, 'it->kind = kind;');
  await t.breakpointAt(line);
  await t.until(t.dialog, () => p.keyboard.press('F5'));
  assert.match(await t.dialog.innerText(), /No WebAssembly program is built from stock\.c/);
  await t.shot('33-build-offered');
  await t.dialog.locator('.monaco-button', { hasText: 'Create a Build Task' }).click();
  await t.quickInput.locator('.monaco-list-row', { hasText: 'clang' }).first().waitFor({ timeout: 8000 });
  await p.keyboard.press('Enter');
  await t.frame(`${line}:`).waitFor({ timeout: 30000 });
  assert.match(t.read('.vscode/tasks.json'), /"compiler": "clang",\s+"source": "build\/stock\.c"/);
  assert.match(t.read('.vscode/launch.json'), /"preLaunchTask": "Build build\/stock\.wasm"/);
  await p.locator('#status\\.problems', { hasText: '1' }).waitFor({ timeout: 8000 });
  await t.shot('33-build-stopped');
  await t.stop();

  // now there is a configuration, which builds first
  fs.rmSync(path.join(t.ws, 'build/stock.wasm'));
  await t.start();
  await t.frame(`${line}:`).waitFor({ timeout: 30000 });
  await t.stop();
  for (const f of ['tasks.json', 'launch.json']) fs.rmSync(path.join(t.ws, '.vscode', f));
}
