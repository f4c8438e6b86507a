// An AssemblyScript program in its source: classes, strings and arrays, and a callback that the library calls. F5 on a .ts file is
// for the debugger of JavaScript, so the program is started by a command.
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => t.program('assemblyscript/words');
const file = 'assemblyscript/words.ts';

export async function run(t) {
  const p = t.p;
  await t.stopIn(file, 'this.words.push(word);', () => t.until(t.toolbar, () => t.command('WebAssembly: Debug This File')));
  await t.calls('add', 'count');
  log('variables:', JSON.stringify(await t.variables()));
  await t.value('text', '"a"');
  await t.value('this');
  await t.shot('31-assemblyscript-stopped');
  await t.hoverWord('word.count++', 'word', 'Word');
  await t.watch('word.count', '1');
  await t.stepOut('Counter.add', file, 'counter.add(parts[i]);');
  await t.value('i', '0');
  await t.showWatAndBack(file);

  // over the call to the next one, into it, and into the call there
  await t.command('Remove All Breakpoints');
  await t.stepTo('F10', file, 'for (let i = 0; i < parts');
  await t.stepTo('F10', file, 'counter.add(parts[i]);');
  await t.value('i', '1');
  await t.stepTo('F11', file, 'this.total++;');
  await t.calls('Counter.add', 'count', 'main');
  await t.stepTo('F10', file, 'let word = this.find');
  await t.stepTo('F11', file, 'i < this.words.length');
  await t.calls('Counter.find', 'Counter.add', 'count');
  await t.value('text', '"rose"');
  await t.stepOut('Counter.find', file, 'let word = this.find');
  await t.stepTo('F10', file, 'if (word)');
  await t.stepOut('Counter.add', file, 'counter.add(parts[i]);');

  // into the function that sort calls
  await t.open(file);
  const longer = t.lineOf(file, 'return b.text.length');
  await t.breakpointAt(longer);
  await t.stepped('F5', `${longer}:`);
  await t.calls('longer', 'count', 'main');
  await t.command('Remove All Breakpoints');
  await p.keyboard.press('F5');
  await t.ended();
}
