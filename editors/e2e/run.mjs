// The product in a real VS Code: a wrong handler label, its quick fix, a breakpoint, F5, the threads,
// steps over, into and out of a resume, the Stacks view; a binary module as text, with all of that; a running program that is attached to. Screenshots go to OUT.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { VSCode, log } from './vscode.mjs';

const here = path.dirname(fileURLToPath(import.meta.url)), top = path.resolve(here, '../..');
const out = path.resolve(process.env.OUT || path.join(here, 'out'));
const run = path.join(out, 'run'), ws = path.join(run, 'ws');
fs.rmSync(run, { recursive: true, force: true });
fs.mkdirSync(ws, { recursive: true });
for (const [from, to] of [['generator.wat', 'generator.wat'], ['wrong/label.wat', 'label.wat']]) {
  fs.copyFileSync(path.join(top, 'testdata/examples/cont', from), path.join(ws, to));
}
// the binary module has names of its own and nothing else beside it that would have the same text
const wasmLS = (...args) => execFileSync(path.join(top, 'editors/vscode/bin/wasm-ls'), args, { encoding: 'utf8' });
wasmLS('build', '-o', path.join(ws, 'packed.wasm'), path.join(ws, 'generator.wat'));
const printed = wasmLS('print', path.join(ws, 'packed.wasm')).split('\n'), printedLine = text => printed.findIndex(l => l.includes(text)) + 1;
const lineOf = (file, text) => fs.readFileSync(path.join(ws, file), 'utf8').split('\n').findIndex(l => l.includes(text)) + 1;

// the adapter that the editor starts records what it says and hears; over TCP each session goes to a file of its own
const sessions = path.join(run, 'sessions'), adapter = path.join(run, 'wasm-dap');
fs.mkdirSync(sessions);
fs.mkdirSync(path.join(ws, '.vscode')); // a setting of the machine: those of the user do not count on a server
fs.writeFileSync(path.join(ws, '.vscode/settings.json'), JSON.stringify({ 'stackscope.debugger.path': adapter }));
fs.writeFileSync(adapter, `#!/bin/sh
case "$1" in serve) exec "${top}/editors/vscode/bin/wasm-dap" "$@" --transcript "$(mktemp "${sessions}/XXXXXX")";; esac
exec "${top}/editors/vscode/bin/wasm-dap" "$@"
`, { mode: 0o755 });
/** What the adapter did in the recorded sessions keeps the protocol; gives how many sessions there were. */
const check = () => {
  execFileSync('go', ['build', '-o', path.join(run, 'dapcheck'), './dap/check/dapcheck'], { cwd: top, stdio: 'inherit' });
  const all = fs.readdirSync(sessions).map(f => path.join(sessions, f)).filter(f => fs.statSync(f).size > 0);
  for (const f of all) {
    const found = spawnSync(path.join(run, 'dapcheck'), ['-strict', '-side', 'adapter', '-ignore', 'unanswered', '-transcript', f], { cwd: top, encoding: 'utf8' });
    log('session', path.basename(f) + ':', found.stderr.trim());
    assert.equal(found.status, 0, `the adapter broke the protocol: ${found.stderr}`);
    const theirs = spawnSync(path.join(run, 'dapcheck'), ['-side', 'client', '-transcript', f], { cwd: top, encoding: 'utf8' });
    for (const line of new Set(theirs.stderr.split('\n').filter(l => l.startsWith('client')))) log('VS Code:', line);
  }
  return all.length;
};

const v = await VSCode.start({
  root: path.join(run, 'vscode'), nodeDir: process.env.NODE24_BIN, codeServerDir: process.env.CODE_SERVER,
  vsix: process.env.VSIX, workspace: ws, out,
  settings: { 'stackscope.debugger.transport': process.env.TRANSPORT || 'stdio', 'editor.lightbulb.enabled': 'on' },
});
let failed, program;
try {
  const p = v.page;
  const editorLine = text => p.locator('.view-line', { hasText: text }).first();
  const frame = text => p.locator('.debug-call-stack .monaco-list-row', { hasText: text }).first();
  const variable = text => p.locator('.debug-variables .monaco-list-row', { hasText: text }).first();
  const stack = text => p.locator('.pane', { hasText: 'Stacks' }).locator('.monaco-list-row', { hasText: text }).first();
  const reveal = async line => {
    await v.command('Go to Line/Column...');
    const input = p.locator('.quick-input-widget:visible input.input');
    await input.fill(`:${line}`);
    await p.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden', timeout: 10000 });
  };
  // lenses come late and move the lines, so a hover may need a second try
  const hover = async (where, text) => {
    const shown = p.locator('.monaco-hover:visible', { hasText: text }).first();
    for (let tries = 0; ; tries++) {
      await p.mouse.move(5, 5);
      await where.hover();
      try { await shown.waitFor({ timeout: 5000 }); return shown; } catch (e) { if (tries === 4) throw e; }
    }
  };
  const stepped = async (key, where) => {
    await p.keyboard.press(key);
    await frame(where).waitFor({ timeout: 15000 });
    log(key, '→', where);
  };

  // 1. a handler label of the wrong type: squiggle, problem, quick fix
  await v.open('label.wat');
  assert.match(await p.locator('#status\\.editor\\.mode').innerText(), /WebAssembly Text/);
  await v.command('View: Focus Problems').catch(() => v.command('Problems: Focus on Problems View'));
  const problem = p.locator('.markers-panel .monaco-list-row', { hasText: 'type mismatch' }).first();
  await problem.waitFor({ timeout: 30000 });
  await problem.click();
  await p.locator('.monaco-editor .squiggly-error').first().waitFor({ timeout: 15000 });
  log('squiggle shown');
  log('problem:', (await problem.innerText()).replace(/\s+/g, ' '));
  await v.shot('10-wrong-label');
  await hover(p.locator('.view-line', { hasText: 'resume' }).locator('span', { hasText: '$on_yield' }).last(), 'would fit');
  await v.shot('11-hover');
  await p.keyboard.press('Escape');
  await p.locator('.view-line', { hasText: 'resume' }).locator('span', { hasText: '$on_yield' }).last().click();
  const fix = p.locator('.action-widget .monaco-list-row.action').first();
  for (let left = 5; ; left--) { // on a busy machine the key may come while the editor is about to show a hover, and is lost
    await p.keyboard.press('Control+.');
    if (await fix.waitFor({ timeout: 4000 }).then(() => true, () => false)) break;
    assert(left > 0, 'no quick fix is offered');
    await p.keyboard.press('Escape');
  }
  log('fix:', (await fix.innerText()).replace(/\s+/g, ' '));
  await v.shot('12-quick-fix');
  await p.keyboard.press('Enter');
  await p.locator('.monaco-editor .squiggly-error').first().waitFor({ state: 'detached', timeout: 15000 });
  await editorLine('(block $on_yield (result i64 (ref $gen))').waitFor({ timeout: 5000 });
  log('fixed: no squiggle left');
  await v.shot('13-fixed');
  await p.keyboard.press('Control+s');
  await p.keyboard.press('Control+j');

  // 2. hover on a continuation local, then a breakpoint and F5
  await v.open('generator.wat');
  const resume = lineOf('generator.wat', '(resume $gen'), onYield = lineOf('generator.wat', '(local.set $k)');
  await reveal(resume);
  await p.locator('.codelens-decoration', { hasText: 'Debug' }).first().waitFor({ timeout: 15000 });
  const card = await hover(p.locator('.view-line', { hasText: 'local.set $k' }).locator('span', { hasText: '$k' }).last(), 'cont [] -> []');
  log('hover:', (await card.innerText()).replace(/\s+/g, ' ').slice(0, 200));
  await v.shot('20-hover-continuation');
  await p.keyboard.press('Escape');
  await editorLine('resume $gen').click();
  await p.keyboard.press('F9');
  await p.locator('.codicon-debug-breakpoint').first().waitFor({ timeout: 10000 });
  await p.keyboard.press('F5');
  await p.locator('.debug-toolbar').waitFor({ timeout: 30000 });
  await frame(`${resume}:`).waitFor({ timeout: 30000 });
  log('stopped at the resume');
  await variable('$k').waitFor({ timeout: 15000 });
  log('call stack:', JSON.stringify(await p.locator('.debug-call-stack .monaco-list-row').allInnerTexts()));
  log('variables:', JSON.stringify(await p.locator('.debug-variables .monaco-list-row').allInnerTexts()));
  await v.shot('21-at-the-resume');

  // 3. over the resume: this stack goes on at its handler
  await stepped('F10', `${onYield}:`);
  await frame('suspended').waitFor({ timeout: 15000 });
  await v.command('Focus on Stacks View');
  log('threads:', JSON.stringify(await p.locator('.debug-call-stack .monaco-list-row').allInnerTexts()));
  await stack('$elements').waitFor({ timeout: 15000 });
  log('stacks:', JSON.stringify(await p.locator('.pane', { hasText: 'Stacks' }).locator('.monaco-list-row').allInnerTexts()));
  await v.shot('30-stepped-over');

  // 4. once more round to the resume, and into it: control goes to the generator, behind its suspend
  await p.keyboard.press('F5');
  await frame(`${resume}:`).waitFor({ timeout: 15000 });
  await p.keyboard.press('F11');
  await frame('#2 $elements · running').waitFor({ timeout: 15000 });
  log('stepped into:', JSON.stringify(await p.locator('.debug-call-stack .monaco-list-row').allInnerTexts()));
  await stack('waiting').waitFor({ timeout: 15000 });
  await stack('running').waitFor({ timeout: 15000 });
  await variable('$i').waitFor({ timeout: 15000 });
  log('stacks:', JSON.stringify(await p.locator('.pane', { hasText: 'Stacks' }).locator('.monaco-list-row').allInnerTexts()));
  await v.shot('31-stepped-into');

  // 5. a click in the Stacks view shows where that stack is
  await stack('waiting').click();
  await variable('$k').waitFor({ timeout: 15000 });
  await v.shot('32-stack-clicked');

  // 6. back on the generator and out of it: without the breakpoint it runs to its end, where its resumer goes on
  await stack('running').click();
  await variable('$i').waitFor({ timeout: 15000 });
  await v.command('Remove All Breakpoints');
  await p.keyboard.press('Shift+F11');
  await frame(`${lineOf('generator.wat', '(return (local.get $sum))')}:`).waitFor({ timeout: 15000 });
  await p.locator('.debug-call-stack .monaco-list-row', { hasText: '$elements' }).first().waitFor({ state: 'detached', timeout: 15000 });
  log('stepped out:', JSON.stringify(await p.locator('.debug-call-stack .monaco-list-row').allInnerTexts()));
  await v.shot('33-stepped-out');
  await p.keyboard.press('F5');
  await p.locator('.debug-toolbar').waitFor({ state: 'hidden', timeout: 15000 });
  log('the program has ended');
  await v.shot('40-ended');

  // 7. a binary module opens as text, read-only, with hovers; a breakpoint in it stops there
  await v.command('View: Close All Editors');
  await v.open('packed.wasm', 'packed.wasm.wat');
  await editorLine('(module').waitFor({ timeout: 30000 });
  await v.shot('50-binary-as-text');
  await reveal(printedLine('resume $gen'));
  const packed = editorLine('resume $gen');
  await packed.waitFor({ timeout: 15000 });
  assert.match(await p.locator('#status\\.editor\\.mode').innerText(), /WebAssembly Text/);
  assert.equal(await p.locator('.monaco-editor .squiggly-error').count(), 0);
  const set = p.locator('.view-line', { hasText: 'local.set' }).locator('span', { hasText: '$k' }).last();
  log('hover in the binary:', (await (await hover(set, 'cont [] -> []')).innerText()).replace(/\s+/g, ' ').slice(0, 120));
  await v.shot('51-hover');
  await p.keyboard.press('Escape');
  await packed.click();
  await p.keyboard.press('F9');
  await p.locator('.codicon-debug-breakpoint').first().waitFor({ timeout: 10000 });
  await p.keyboard.press('F5');
  await p.locator('.debug-toolbar').waitFor({ timeout: 30000 });
  const stopped = async () => {
    await p.locator('.debug-call-stack .monaco-list-row', { hasText: 'packed.wasm' }).first().waitFor({ timeout: 30000 });
    await p.locator('.codicon-debug-stackframe, .codicon-debug-breakpoint-stackframe').first().waitFor({ timeout: 15000 });
    await variable('$k').waitFor({ timeout: 15000 });
    assert.equal(await p.locator('.tabs-container .tab').count(), 1, 'the debugger opened another editor');
  };
  await stopped();
  log('stopped in the binary:', JSON.stringify(await p.locator('.debug-call-stack .monaco-list-row').allInnerTexts()));
  await v.shot('52-stopped-in-binary');
  await p.keyboard.press('Shift+F5');
  await p.locator('.debug-toolbar').waitFor({ state: 'hidden', timeout: 15000 });

  // 8. after a reload of the window the text, its language and the breakpoint are there again, and hold
  await v.reload();
  await p.locator('.tabs-container .tab.active[data-resource-name="packed.wasm.wat"]').waitFor({ timeout: 30000 });
  await p.locator('.view-line', { hasText: /[a-z]/ }).first().waitFor({ timeout: 30000 });
  await reveal(printedLine('resume $gen')); // a window that was reloaded early may not know how far down it was
  await packed.waitFor({ timeout: 30000 });
  await p.locator('#status\\.editor\\.mode', { hasText: 'WebAssembly Text' }).waitFor({ timeout: 15000 });
  await p.locator('.codicon-debug-breakpoint').first().waitFor({ timeout: 15000 });
  await v.shot('53-reloaded');
  await packed.click();
  await p.keyboard.press('F5');
  await stopped();
  log('stopped after the reload');
  await v.shot('54-stopped-after-reload');
  await p.keyboard.press('Shift+F5');
  await p.locator('.debug-toolbar').waitFor({ state: 'hidden', timeout: 15000 });

  // 9. a program that runs on its own waits for its first session: the editor attaches, stops it, sees its stacks, and leaves it
  await v.command('View: Close All Editors');
  await v.command('Remove All Breakpoints');
  program = spawn(path.join(top, 'editors/vscode/bin/wasm-dap'), ['run', '--listen', '127.0.0.1:0', '--wait', path.join(ws, 'generator.wat')]);
  let result = '';
  program.stdout.on('data', text => { result += text; });
  const ended = new Promise(resolve => program.on('exit', resolve));
  const connect = await new Promise((resolve, reject) => {
    let said = '';
    program.stderr.on('data', text => { said += text; const at = /127\.0\.0\.1:\d+/.exec(said); if (at) resolve(at[0]); });
    program.on('exit', code => reject(new Error(`wasm-dap run ended with code ${code}: ${said}`)));
  });
  fs.writeFileSync(path.join(ws, '.vscode/launch.json'), JSON.stringify({ version: '0.2.0', configurations: [{ type: 'wasm', request: 'attach', name: 'Attach', connect }] }));
  await v.open('generator.wat');
  await reveal(onYield);
  await editorLine('local.set $k').click();
  await p.keyboard.press('F9');
  await p.locator('.codicon-debug-breakpoint').first().waitFor({ timeout: 10000 });
  await p.keyboard.press('F5');
  await p.locator('.debug-toolbar').waitFor({ timeout: 30000 });
  await frame(`${onYield}:`).waitFor({ timeout: 30000 });
  await frame('#2 $elements · suspended').waitFor({ timeout: 15000 });
  await variable('$k').waitFor({ timeout: 15000 });
  await v.command('Focus on Stacks View');
  await stack('$elements').waitFor({ timeout: 15000 });
  log('attached:', JSON.stringify(await p.locator('.debug-call-stack .monaco-list-row').allInnerTexts()));
  await v.shot('60-attached');
  await p.keyboard.press('Shift+F5'); // disconnects: the program goes on to its end
  await p.locator('.debug-toolbar').waitFor({ state: 'hidden', timeout: 15000 });
  assert.equal(await ended, 0);
  assert.match(result, /\(i64\.const \d+\)/);
  log('left alone, it gives', result.trim());
} catch (e) {
  failed = e;
  log('FAIL', e.stack);
  try { await v.shot('99-failure'); fs.writeFileSync(path.join(out, 'failure.html'), await v.page.content()); } catch { /* the browser is gone */ }
}
program?.kill();
await v.stop();
if (!failed) {
  try {
    const n = check();
    assert(n >= 4, `only ${n} sessions were recorded`); // a text, a binary module, the same after a reload, attached
    log(n, 'sessions keep the protocol');
    log('PASS');
  } catch (e) {
    failed = e;
    log('FAIL', e.stack);
  }
}
process.exit(failed ? 1 : 0);
