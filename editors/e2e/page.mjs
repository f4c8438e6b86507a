// What the scenarios look for and do in the window of VS Code. Nothing here knows a scenario.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { log } from './vscode.mjs';

export class Page {
  /** v is the running VS Code, ws the folder of the workspace, executed collects the ids of the extension's commands that ran. */
  constructor(v, ws, contributed) {
    Object.assign(this, { v, p: v.page, ws, contributed, executed: new Set() });
  }

  // --- files of the workspace
  file(name, text) {
    fs.mkdirSync(path.dirname(path.join(this.ws, name)), { recursive: true });
    fs.writeFileSync(path.join(this.ws, name), text);
  }
  read(name) { return fs.readFileSync(path.join(this.ws, name), 'utf8'); }
  /** The number, from 1, of the first line of a workspace file that contains the text. */
  lineOf(name, text) { return this.read(name).split('\n').findIndex(l => l.includes(text)) + 1; }

  // --- parts of the window
  editorLine(text) { return this.p.locator('.view-line', { hasText: text }).first(); }
  frame(text) { return this.p.locator('.debug-call-stack .monaco-list-row', { hasText: text }).first(); }
  variable(text) { return this.p.locator('.debug-variables .monaco-list-row', { hasText: text }).first(); }
  get stacksPane() { return this.p.locator('.part.panel .tree-explorer-viewlet-tree-view'); } // its own tab of the panel
  stack(text) { return this.stacksPane.locator('.monaco-list-row', { hasText: text }).first(); }
  get toolbar() { return this.p.locator('.debug-toolbar'); }
  get dialog() { return this.p.locator('.monaco-dialog-box'); }
  get quickInput() { return this.p.locator('.quick-input-widget:visible'); }
  get language() { return this.p.locator('#status\\.editor\\.mode'); }
  async frames() { return this.p.locator('.debug-call-stack .monaco-list-row').allInnerTexts(); }
  async variables() { return this.p.locator('.debug-variables .monaco-list-row').allInnerTexts(); }
  async stacks() { return this.stacksPane.locator('.monaco-list-row').allInnerTexts(); }

  // --- what a person does
  /** Does something until it shows: on a busy machine a key that comes too early is lost. */
  async until(shown, act, tries = 4) {
    for (let left = tries; ; left--) {
      await act();
      try { await shown.waitFor({ timeout: 8000 }); return; } catch (e) { if (left === 1) throw e; }
    }
  }
  /** Runs a command through the palette. Titles of the extension's own commands count as executed. */
  async command(title) {
    await this.v.command(title);
    const own = this.contributed.find(c => title === `${c.category}: ${c.title}` || title === c.title);
    if (own) this.executed.add(own.command);
  }
  /** Notes that a command of the extension ran another way: a lens, a button, a row of a view. */
  did(command) {
    assert(this.contributed.some(c => c.command === command), `${command} is not in package.json`);
    this.executed.add(command);
  }
  /** Opens a file of the workspace; shown is the document that the editor then has, if another. */
  open(file, shown = file) { return this.v.open(file, shown); }
  shot(name) { return this.v.shot(name); }
  async reveal(line) {
    await this.v.command('Go to Line/Column...');
    const input = this.p.locator('.quick-input-widget:visible input.input');
    await input.fill(`:${line}`);
    await this.p.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden', timeout: 10000 });
  }
  /** Hovers until a card with the text shows: lenses come late and move the lines, so it may need a second try. */
  async hover(where, text) {
    const shown = this.p.locator('.monaco-hover:visible', { hasText: text }).first();
    for (let tries = 0; ; tries++) {
      await this.p.mouse.move(5, 5);
      await where.hover();
      try { await shown.waitFor({ timeout: 5000 }); return shown; } catch (e) { if (tries === 4) throw e; }
    }
  }
  /** Sets a breakpoint in the line with the text. */
  async breakpoint(text) {
    await this.editorLine(text).click();
    await this.p.keyboard.press('F9');
    await this.p.locator('.codicon-debug-breakpoint').first().waitFor({ timeout: 10000 });
  }
  /** Presses F5 and waits for a session. */
  async start(key = 'F5') {
    await this.until(this.toolbar, () => this.p.keyboard.press(key));
  }
  /** Presses a key and waits for a frame at the place. */
  async stepped(key, where) {
    await this.p.keyboard.press(key);
    await this.frame(where).waitFor({ timeout: 15000 });
    log(key, '→', where);
  }
  /** Continues until the first stack, one of several, stops at the place. Another one may show the same place while it waits. */
  async continueTo(where) {
    await this.p.keyboard.press('F5');
    await this.frame('#1 main · running').waitFor({ timeout: 15000 });
    await this.frame(where).waitFor({ timeout: 15000 });
  }
  /** Sets a breakpoint in a line of the open file, by its number. */
  async breakpointAt(line) {
    await this.reveal(line);
    await this.until(this.p.locator('.codicon-debug-breakpoint').first(), () => this.p.keyboard.press('F9'), 2);
  }
  /** Closes the parts of the side bar that take room from the variables: a list renders only the rows that show. */
  async room() {
    await this.p.setViewportSize({ width: 1400, height: 1200 });
    for (const title of ['Watch', 'Loaded Scripts', 'Breakpoints']) await this.fold(title);
  }
  /** Closes a part of the side bar. */
  async fold(title) {
    const header = this.p.locator(`.part.sidebar .pane-header[aria-label^="${title}"]`).first();
    if (await header.getAttribute('aria-expanded').catch(() => null) === 'true') await header.click();
  }
  /** Opens the source of a program, sets a breakpoint in the line with the text, starts the program with F5, or another command, and waits for the stop. */
  async stopIn(file, text, start) {
    await this.open(file);
    const line = this.lineOf(file, text);
    await this.breakpointAt(line);
    await (start ? start() : this.start());
    await this.frame(`${line}:`).waitFor({ timeout: 30000 });
    await this.room();
    await this.p.locator('.debug-variables .monaco-list-row').nth(1).waitFor({ timeout: 10000 });
    log('stopped in', file, 'line', line, JSON.stringify(await this.frames()));
    return line;
  }
  /** Waits until the Call Stack view has frames with these names, from the top. */
  async calls(...names) {
    let shown = [];
    for (let tries = 0; tries < 40; tries++) { // the list is filled in two steps
      shown = await this.frames();
      const at = names.map(name => shown.findIndex(f => f.includes(name)));
      if (at.every((x, i) => x >= 0 && (i === 0 || x > at[i - 1]))) return;
      await this.p.waitForTimeout(250);
    }
    assert.fail(`${names} are not in this order in ${JSON.stringify(shown)}`);
  }
  /** Steps until the top frame is at the line with the text. */
  async stepTo(key, file, text) { await this.stepped(key, `${this.lineOf(file, text)}:`); }
  /** Steps out of a function to the line with the text. The caller's frame shows it before, so the function's frame has to go. */
  async stepOut(name, file, text) {
    await this.p.keyboard.press('Shift+F11');
    await this.frame(name).waitFor({ state: 'detached', timeout: 15000 });
    await this.frame(`${this.lineOf(file, text)}:`).waitFor({ timeout: 15000 });
    log('out of', name, '→', text);
  }
  /** Waits until the Variables view has a row with a name and, if given, the value, and returns the row's text. */
  async value(name, value = '') {
    const row = this.p.locator('.debug-variables .monaco-list-row', { has: this.p.locator('.name', { hasText: new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(:| |$)`) }), hasText: value }).first();
    for (let tries = 0; ; tries++) {
      try {
        await row.waitFor({ timeout: 2000 });
        return (await row.innerText()).replace(/\s+/g, ' ');
      } catch (e) {
        if (tries === 6) throw e;
        await this.p.locator('.debug-variables .monaco-list-row').first().hover(); // further down, and once from the top again
        await this.p.mouse.wheel(0, tries === 3 ? -5000 : 80);
      }
    }
  }
  /** Opens a row of the Variables view. */
  async expand(name) {
    await this.value(name);
    const row = this.p.locator('.debug-variables .monaco-list-row', { has: this.p.locator('.name', { hasText: new RegExp(`^${name}(:| |$)`) }) }).first();
    for (let tries = 0; await row.getAttribute('aria-expanded') !== 'true'; tries++) { // a list that is being filled swallows clicks
      assert(tries < 5, `${name} does not open`);
      await row.locator('.monaco-tl-twistie').click();
      await this.p.waitForTimeout(500);
    }
  }
  /** Hovers a word of the line that has the text until the debugger's card shows what is wanted, and closes it. A line may be one element, so the word is found in its text. */
  async hoverWord(text, word, wanted) {
    const line = this.editorLine(text), shown = this.p.locator('.debug-hover-widget:visible', { hasText: wanted }).first();
    for (let tries = 0; ; tries++) {
      const at = await line.evaluate((e, word) => {
        const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
        for (let last; ;) {
          const n = walk.nextNode();
          if (!n) return last;
          const i = n.data.lastIndexOf(word);
          if (i < 0) continue;
          const r = document.createRange();
          r.setStart(n, i), r.setEnd(n, i + word.length);
          const b = r.getBoundingClientRect();
          last = { x: b.x + b.width / 2, y: b.y + b.height / 2 };
        }
      }, word);
      assert(at, `${word} is not in ${text}`);
      if (tries > 0) await line.click({ position: { x: 2, y: 5 } });
      await this.p.mouse.move(at.x + 40, at.y + 40);
      await this.p.mouse.move(at.x, at.y);
      try { await shown.waitFor({ timeout: 4000 }); break; } catch (e) { if (tries === 3) throw e; }
    }
    log('hover', word + ':', (await shown.innerText()).replace(/\s+/g, ' '));
    await this.p.keyboard.press('Escape');
    await this.p.mouse.move(5, 5);
  }
  /** Adds a watch expression and waits for its value. */
  async watch(expression, value) {
    const header = this.p.locator('.part.sidebar .pane-header[aria-label^="Watch"]').first(), input = this.p.locator('.debug-watch .monaco-inputbox input, .debug-watch .monaco-inputbox textarea').first();
    if (await header.getAttribute('aria-expanded') !== 'true') await header.click();
    if (await this.p.locator('.debug-watch .monaco-list-row', { hasText: expression }).count() === 0) { // a try that failed leaves it there
      await this.until(input, async () => { await header.hover(); await header.locator('[aria-label="Add Expression"]').first().click({ timeout: 5000 }); });
      await input.fill(expression);
      await this.p.keyboard.press('Enter');
    }
    await this.p.locator('.debug-watch .monaco-list-row', { hasText: expression }).filter({ hasText: value }).first().waitFor({ timeout: 10000 });
    await this.fold('Watch');
  }
  /** Shows the frame's function in the text format, and in its source again. */
  async showWatAndBack(file) {
    const name = path.basename(file);
    await this.until(this.p.locator('.tabs-container .tab.active[data-resource-name$=".wasm.wat"]'), () => this.command('WebAssembly: Show WAT'));
    await this.editorLine(/(local|struct|global|i32)\.\w+|call \$/).waitFor({ timeout: 10000 });
    log('WAT:', JSON.stringify((await this.frames()).slice(0, 4)));
    await this.until(this.p.locator(`.tabs-container .tab.active[data-resource-name="${name}"]`), () => this.command('WebAssembly: Show Source'));
  }
  /** Evaluates an expression in the debug console and returns what that shows. */
  async evaluate(expression) {
    await this.command('Debug Console: Focus on Debug Console View');
    const rows = this.p.locator('.repl .monaco-list-row'), before = await rows.count();
    await this.p.locator('.repl-input-wrapper .view-lines').click(); // the command may take the focus later
    await this.p.locator('.repl-input-wrapper .monaco-editor.focused').waitFor({ timeout: 10000 });
    await this.p.keyboard.type(expression);
    await this.p.keyboard.press('Enter');
    await rows.nth(before + 1).waitFor({ timeout: 15000 }); // the expression, then its value
    return (await rows.nth(before + 1).innerText()).replace(/\u00a0/g, ' ');
  }
  async ended(timeout = 15000) { await this.toolbar.waitFor({ state: 'hidden', timeout }); }
  async stop() {
    await this.p.keyboard.press('Shift+F5');
    await this.ended();
  }
  /** Leaves nothing of a scenario to the next one. */
  async reset() {
    await this.p.setViewportSize({ width: 1400, height: 900 });
    for (let i = 0; i < 3; i++) await this.p.keyboard.press('Escape');
    if (await this.toolbar.isVisible()) await this.stop();
    await this.v.command('Remove All Breakpoints');
    await this.v.command('View: Close All Editors');
  }
}
