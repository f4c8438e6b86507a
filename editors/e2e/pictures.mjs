// Takes the pictures of the guide from a real VS Code: `make pictures` writes docs/images/*.png. Each picture is a scenario
// (page.mjs has what it can do) that ends with a call of `picture`. `node pictures.mjs stacks` takes those whose name contains a word.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Page } from './page.mjs';
import { VSCode, log } from './vscode.mjs';

const here = path.dirname(fileURLToPath(import.meta.url)), top = path.resolve(here, '../..');
const out = path.resolve(process.env.OUT || path.join(here, 'out'));
const images = path.join(top, 'docs/images'), raw = path.join(out, 'pictures'), run = path.join(out, 'pictures-run');
const ws = path.join(os.tmpdir(), 'example'); // its path is in a picture
for (const d of [raw, run, ws]) fs.rmSync(d, { recursive: true, force: true });
for (const d of [raw, ws, images]) fs.mkdirSync(d, { recursive: true });
for (const f of ['generator.wat', 'scheduler.wat', 'scheduler.wast', 'wrong/label.wat', 'wrong/unhandled.wat']) {
  fs.copyFileSync(path.join(top, 'testdata/examples/cont', f), path.join(ws, path.basename(f)));
}

for (const f of fs.readdirSync(path.join(top, 'testdata/programs/kotlin'))) {
  if (f.startsWith('parcels.')) fs.copyFileSync(path.join(top, 'testdata/programs/kotlin', f), path.join(ws, f));
}

/** The pictures, by name. Each function brings the window into a state and returns the part to show: a locator, a clip, or nothing for all. */
const pictures = {
  async diagnostic(t) {
    await t.open('label.wat');
    await t.reveal(t.lineOf('label.wat', '(resume $gen'));
    await t.p.locator('.monaco-editor .squiggly-error').first().waitFor({ timeout: 30000 });
    await t.p.waitForTimeout(1000); // lenses move the lines
    await t.hover(t.editorLine('resume $gen').locator('span', { hasText: '$on_yield' }).last(), 'handler-label');
    return editor(t, 520);
  },
  async hover(t) {
    await t.open('generator.wat');
    await t.reveal(t.lineOf('generator.wat', '(local.set $k)'));
    await t.p.locator('.codelens-decoration', { hasText: 'Debug' }).first().waitFor({ timeout: 30000 });
    await t.hover(t.editorLine('local.set $k').locator('span', { hasText: '$k' }).last(), 'cont [] -> []');
    return editor(t, 520);
  },
  async generator(t) {
    await t.open('generator.wat');
    await t.reveal(t.lineOf('generator.wat', '(resume $gen'));
    await t.breakpoint('resume $gen');
    await t.start();
    await t.frame(`${t.lineOf('generator.wat', '(resume $gen')}:`).waitFor({ timeout: 30000 });
    await t.p.keyboard.press('F11');
    await t.frame('#2 $elements').waitFor({ timeout: 15000 });
    await t.v.command('Focus on Stacks View');
    await t.stack('running').waitFor({ timeout: 15000 });
    await t.variable('$i').waitFor({ timeout: 15000 });
    await t.p.waitForTimeout(1000); // what is drawn after a stop: values beside the lines, the Stacks view
  },
  async scheduler(t) {
    await t.open('scheduler.wat');
    await t.reveal(t.lineOf('scheduler.wat', '(call $print (local.get $digit))'));
    await t.breakpoint('call $print (local.get $digit)');
    await t.start();
    for (const stack of ['#3 $worker · running', '#4 $worker · running']) {
      await t.frame(stack).waitFor({ timeout: 30000 });
      if (stack.startsWith('#3')) await t.p.keyboard.press('F5');
    }
    await t.stack('#4 $worker').waitFor({ timeout: 15000 });
    await t.p.waitForTimeout(1000);
  },
  async kotlin(t) {
    const file = 'parcels.kt', line = t.lineOf(file, 'delivered += stop.parcels');
    await t.open(file);
    await t.breakpointAt(line);
    await t.start();
    await t.frame(`${line}:`).waitFor({ timeout: 30000 });
    for (const part of ['Watch', 'Breakpoints', 'Loaded Scripts']) await t.fold(part);
    await t.expand('stop');
    await t.p.mouse.move(1000, 740);
    await t.p.waitForTimeout(1500);
  },
  async unhandled(t) {
    await t.open('unhandled.wat');
    await t.start();
    await t.frame('"main"').waitFor({ timeout: 30000 });
    await t.p.keyboard.press('F5');
    await t.p.locator('.monaco-editor .exception-widget').first().waitFor({ timeout: 30000 });
    await t.p.waitForTimeout(1000);
  },
  async tests(t) {
    await t.open('scheduler.wast');
    await t.p.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor({ timeout: 30000 });
    await t.command('Testing: Focus on Test Explorer View');
    await t.p.locator('.test-explorer .monaco-list-row', { hasText: 'scheduler.wast' }).first().waitFor({ timeout: 15000 });
    await t.command('Test: Run All Tests');
    await t.p.locator('.test-explorer', { hasText: /\d\/\d/ }).first().waitFor({ timeout: 30000 });
    await t.p.waitForTimeout(1500);
    return { x: 0, y: 0, width: 1200, height: 520 };
  },
};

/** The upper part of the editors, so many pixels high. */
async function editor(t, height) {
  const box = await t.p.locator('.part.editor').boundingBox();
  return { ...box, height: Math.min(height, box.height) };
}

const words = process.argv.slice(2), names = Object.keys(pictures).filter(n => words.length === 0 || words.some(w => n.includes(w)));
const contributed = JSON.parse(fs.readFileSync(path.join(top, 'editors/vscode/package.json'), 'utf8')).contributes.commands;
let failed = 0;
const v = await VSCode.start({
  root: path.join(run, 'vscode'), nodeDir: process.env.NODE24_BIN, codeServerDir: process.env.CODE_SERVER, vsix: process.env.VSIX, workspace: ws, out,
  settings: { 'window.commandCenter': false, 'workbench.layoutControl.enabled': false, 'breadcrumbs.enabled': false },
});
await v.page.setViewportSize({ width: 1200, height: 760 });
const page = new Page(v, ws, contributed);
for (const name of names) {
  try {
    await page.reset();
    const clip = await pictures[name](page);
    await v.page.screenshot({ path: path.join(raw, name + '.png'), ...(clip ? { clip } : {}) });
    log('picture', name);
  } catch (e) {
    failed++;
    log('FAIL', name, e.stack);
    await v.shot('99-picture-' + name).catch(() => undefined);
  }
}
await v.stop();
execFileSync('go', ['run', './internal/gen/palette', '-to', images, ...fs.readdirSync(raw).map(f => path.join(raw, f))], { cwd: top, stdio: 'inherit' });
log(failed ? `FAIL: ${failed} pictures` : 'PASS');
process.exit(failed ? 1 : 0);
