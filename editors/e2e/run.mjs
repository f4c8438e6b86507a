// The extension in a real VS Code. Each file in scenarios/ is one scenario; they run in the order of their names, in one window,
// and each finds no editor, no breakpoint and no session of the one before. `node run.mjs binary attach` runs those whose name
// contains one of the words. Screenshots go to OUT.
//
// A scenario exports `run(t)`; t is a Page (page.mjs), with the options of Env below. It may export `prepare(t)`, which runs before
// VS Code starts and writes files, `settings`, which are merged into the user's, `machine`, those of the machine, and `sessions`, the number of debug sessions that it
// starts at least.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Page } from './page.mjs';
import { VSCode, log } from './vscode.mjs';

const here = path.dirname(fileURLToPath(import.meta.url)), top = path.resolve(here, '../..');
const out = path.resolve(process.env.OUT || path.join(here, 'out'));
const run = path.join(out, 'run'), ws = path.join(run, 'ws');
const bin = name => path.join(top, 'editors/vscode/bin', name);
fs.rmSync(run, { recursive: true, force: true });
fs.mkdirSync(ws, { recursive: true });

const words = process.argv.slice(2);
const files = fs.readdirSync(path.join(here, 'scenarios')).filter(f => f.endsWith('.mjs')).sort();
const wanted = files.filter(f => words.length === 0 || words.some(w => f.includes(w)));
assert(wanted.length > 0, `no scenario is called ${words.join(' or ')}`);
const scenarios = [];
for (const file of wanted) scenarios.push({ file, ...await import(pathToFileURL(path.join(here, 'scenarios', file)).href) });

// the adapter that the editor starts records what it says and hears; over TCP each session goes to a file of its own
const sessions = path.join(run, 'sessions'), adapter = path.join(run, 'wasm-dap');
fs.mkdirSync(sessions);
fs.mkdirSync(path.join(ws, '.vscode')); // a setting of the machine: those of the user do not count on a server
fs.writeFileSync(path.join(ws, '.vscode/settings.json'), JSON.stringify(Object.assign({ 'stackscope.debugger.path': adapter }, ...scenarios.map(s => s.machine ?? {}))));
fs.writeFileSync(adapter, `#!/bin/sh
case "$1" in serve) exec "${bin('wasm-dap')}" "$@" --transcript "$(mktemp "${sessions}/XXXXXX")";; esac
exec "${bin('wasm-dap')}" "$@"
`, { mode: 0o755 });
/** Checks that what the adapter did in the recorded sessions keeps the protocol; returns how many sessions there were. */
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

/** What a scenario has beside its page, also in prepare. */
const Env = {
  ws, top, out, bin,
  /** Writes a file of the workspace. */
  write(name, text) { fs.writeFileSync(path.join(ws, name), text); },
  /** Copies a file of testdata/examples/cont into the workspace. */
  example(from, to = path.basename(from)) { Env.design(`cont/${from}`, to); },
  /** Copies a file of testdata/examples, given as DESIGN/FILE, into the workspace. */
  design(from, to) { fs.copyFileSync(path.join(top, 'testdata/examples', from), path.join(ws, to)); },
  /** Copies a program of testdata/programs, given as LANGUAGE/NAME, with what is beside it, into a folder of its own. */
  program(from, to = path.dirname(from)) {
    const dir = path.join(top, 'testdata/programs', path.dirname(from)), name = path.basename(from);
    fs.mkdirSync(path.join(ws, to), { recursive: true });
    for (const f of fs.readdirSync(dir)) if (f.startsWith(name + '.') && !f.endsWith('.out')) fs.copyFileSync(path.join(dir, f), path.join(ws, to, f));
    for (const f of fs.readdirSync(path.join(ws, to))) { // a source that is newer than its program counts as changed
      const source = !/\.(wasm|map|mjs|js)$/.test(f), t = new Date(Date.now() - (source ? 60000 : 0));
      fs.utimesSync(path.join(ws, to, f), t, t);
    }
  },
  /** The text of a file of the workspace. */
  text(name) { return fs.readFileSync(path.join(ws, name), 'utf8'); },
  wasmLS: (...args) => execFileSync(bin('wasm-ls'), args, { encoding: 'utf8' }),
};
const contributed = JSON.parse(fs.readFileSync(path.join(top, 'editors/vscode/package.json'), 'utf8')).contributes.commands;
// How often a scenario is tried: on a busy machine a key or click may be lost, and the log shows every try that failed.
const tries = 2;
const failures = [];
let v;
try {
  for (const s of scenarios) await s.prepare?.(Env);
  v = await VSCode.start({
    root: path.join(run, 'vscode'), nodeDir: process.env.NODE24_BIN, codeServerDir: process.env.CODE_SERVER,
    vsix: process.env.VSIX, workspace: ws, out,
    settings: Object.assign({ 'stackscope.debugger.transport': process.env.TRANSPORT || 'stdio', 'editor.lightbulb.enabled': 'on', 'editor.stickyScroll.enabled': false }, ...scenarios.map(s => s.settings ?? {})),
  });
  const page = Object.assign(new Page(v, ws, contributed), Env);
  for (const s of scenarios) {
    log('==', s.file);
    for (let left = tries; left > 0; left--) try {
      await page.reset();
      await s.run(page);
      break;
    } catch (e) { // the next scenario starts from nothing, so one run shows all that is wrong
      log(left > 1 ? 'RETRY' : 'FAIL', s.file, e.stack);
      if (left === 1) failures.push(s.file);
      else await s.prepare?.(Env); // the files as they were
      await v.shot('99-' + path.basename(s.file, '.mjs')).catch(() => undefined);
      try { fs.writeFileSync(path.join(out, path.basename(s.file, '.mjs') + '.html'), await v.page.content()); } catch { /* the browser is gone */ }
    }
  }
  if (words.length === 0) {
    const never = contributed.map(c => c.command).filter(c => !page.executed.has(c));
    assert.deepEqual(never, [], 'no scenario executes these commands of package.json');
  }
  await v.stop();
  v = undefined;
  const n = check(), least = scenarios.reduce((sum, s) => sum + (s.sessions ?? 0), 0);
  assert(n >= least || failures.length > 0, `only ${n} sessions were recorded, not ${least}`);
  log(n, 'sessions keep the protocol');
} catch (e) {
  failures.push('run.mjs');
  log('FAIL', e.stack);
}
await v?.stop();
log(failures.length ? `FAIL: ${failures.join(', ')}` : 'PASS');
process.exit(failures.length ? 1 : 0);
