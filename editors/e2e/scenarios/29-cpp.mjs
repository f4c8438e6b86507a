// A C++ program in its source: a vector of owning pointers, a string, an optional, a virtual call, an inlined function, a template.
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => t.program('cpp/route');
const file = 'cpp/route.cpp';

export async function run(t) {
  const p = t.p;
  await t.stopIn(file, 'int total = best');
  await t.calls('distances', 'main');
  log('variables:', JSON.stringify(await t.variables()));
  await t.value('from', '0');
  await t.value('best', '1000000');
  await t.value('nearest', '0');
  await t.value('road', 'to = 1, length = 10');
  await t.shot('29-cpp-stopped');
  await t.hoverWord('if (!nearest)', 'nearest', '0');
  await t.watch('road.length * 2', '20');

  // into the function that is inlined: a frame of its own
  await t.stepTo('F11', file, 'int way = road.length;');
  await t.calls('cost', 'distances', 'main');
  await t.stepTo('F10', file, 'int toll = town.toll();');
  await t.value('way', '10');
  await t.stepTo('F11', file, 'int toll() const override');
  await t.calls('toll', 'cost', 'distances');
  await t.stepOut('toll', file, 'int toll = town.toll();');
  await t.showWatAndBack(file);
  await t.command('Remove All Breakpoints');
  await p.keyboard.press('F5');
  await t.ended();
}
