// A C program in its source: structs behind pointers, enums, bit-fields, recursion, a function pointer.
import { log } from '../vscode.mjs';

export const sessions = 1;
export const prepare = t => t.program('c/stock');
const file = 'c/stock.c';

export async function run(t) {
  const p = t.p;
  const line = await t.stopIn(file, 'it->kind = kind;');
  await t.calls('add', 'main');
  log('variables:', JSON.stringify(await t.variables()));
  await t.value('kind', 'FRUIT');
  await t.value('price', '0.5');
  await t.value('name', 'pear');
  await t.expand('it');
  await t.value('flags');
  await t.shot('28-c-stopped');
  await t.hoverWord('it->price = price;', 'price', '0.5');
  await t.watch('it->name', 'pear');
  await t.stepTo('F10', file, 'it->count = count;');
  await t.value('kind', 'FRUIT');
  await t.showWatAndBack(file);
  await t.frame(`${line + 1}:`).waitFor({ timeout: 10000 });
  await t.stepOut('add', file, '"pear", FRUIT');
  await t.shot('28-c-out');

  // into a recursive function, and over the calls in it
  await t.command('Remove All Breakpoints');
  await t.open(file);
  const calls = t.lineOf(file, 'int paid = ways');
  await t.breakpointAt(calls);
  await t.stepped('F5', `${calls}:`);
  await t.stepTo('F11', file, 'if (amount == 0)');
  await t.value('amount', '10');
  await t.stepTo('F10', file, 'if (amount < 0');
  await t.stepTo('F10', file, 'int with = ways');
  await t.stepTo('F10', file, 'int without = ways');
  await t.value('with', '1');
  await p.keyboard.press('F5');
  await t.ended();
}
