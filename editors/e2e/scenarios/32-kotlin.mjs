// A Kotlin program with stack switching, in its source: a sequence and two coroutines, each a thread of its own. A step over a
// suspension stays in its coroutine, whatever runs meanwhile; a step into a loop over a sequence follows the resume.
import assert from 'node:assert/strict';
import { log } from '../vscode.mjs';

export const sessions = 2;
export const prepare = t => { t.program('kotlin/parcels'); t.program('kotlin/weather'); };
const file = 'kotlin/parcels.kt';

export async function run(t) {
  const p = t.p;
  const names = async () => (await t.frames()).filter(f => f.includes('#'));

  // the sequence: into the function that makes it, out, and into its body, which the loop resumes
  await t.stopIn(file, 'for (n in numbers(10))');
  await t.command('Remove All Breakpoints');
  await t.stepTo('F11', file, 'fun numbers');
  await t.calls('numbers', 'main');
  await t.stepOut('numbers', file, 'for (n in numbers(10))');
  await t.stepTo('F11', file, 'var a = 0');
  await t.calls('numbers.<sequence lambda>', 'main');
  await t.stepTo('F10', file, 'var b = 1');
  await t.stepTo('F10', file, 'while (a < limit)');
  await t.stepTo('F10', file, 'yield(a)');

  // over yield, in the same coroutine, and out of it: the loop has run
  log('variables:', JSON.stringify(await t.variables()));
  await t.calls('numbers', 'main');
  await t.value('b', '1');
  await t.value('limit', '10');
  await t.shot('32-kotlin-sequence');
  await t.hoverWord('val next = a + b', 'b', '1');
  await t.watch('a + b', '1');
  await t.stepTo('F10', file, 'val next = a + b');
  await t.stepTo('F10', file, 'a = b');
  await t.value('next', '1');
  await t.stepOut('numbers', file, 'for (n in numbers(10))');
  await t.stepTo('F10', file, 'println("sum $sum")');

  // two coroutines: over pause, in the same one, while the other one runs; objects show their fields
  await t.open(file);
  const pause = t.lineOf(file, '        pause()');
  await t.breakpointAt(pause);
  await t.stepped('F5', `${pause}:`);
  await t.value('van', 'red');
  await t.value('delivered', '0');
  await t.expand('stop');
  await t.value('name', 'harbour');
  await t.shot('33-kotlin-coroutine');
  await t.command('Remove All Breakpoints');
  await t.stepTo('F10', file, 'delivered += stop.parcels');
  await t.value('van', 'red');
  log('threads:', JSON.stringify(await names()));
  assert((await names()).length >= 3, 'main and two coroutines are threads');
  await t.showWatAndBack(file);
  await t.stepTo('F10', file, 'stop.parcels = 0');
  await t.value('delivered', '2');

  // into pause and out of it: back in the same coroutine, after the other one has run
  await t.stepTo('F10', file, 'for (stop in stops)');
  await t.stepTo('F10', file, 'println("$van at');
  await t.stepTo('F10', file, '        pause()');
  await t.stepTo('F11', file, 'suspend fun pause');
  await t.calls('Loop.pause', 'deliver');
  await t.stepTo('Shift+F11', file, 'delivered += stop.parcels'); // the frame that resumed it is a lambda of pause
  await t.value('van', 'red');
  await t.value('stop', 'market');
  await p.keyboard.press('F5');
  await t.ended();

  // kotlinx-coroutines: over delay, in the same coroutine
  const weather = 'kotlin/weather.kt';
  await t.stopIn(weather, 'delay(100)');
  await t.value('this', 'north');
  await t.command('Remove All Breakpoints');
  await t.stepTo('F10', weather, 'hour++');
  await t.value('this', 'north');
  await t.shot('34-kotlin-delay');
  await p.keyboard.press('F5');
  await t.ended();
}
