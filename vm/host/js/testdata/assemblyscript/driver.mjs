// Calls what notes.js exports. driver.out is what node prints: node driver.mjs > driver.out
globalThis.shout = (text, times) => text.toUpperCase().repeat(times);
const m = await import('./notes.js');
console.log(m.greet('é😀'), m.squares(5));
m.remember('kept', 2n ** 40n);
console.log(m.recall());
m.print();
try { m.fail() } catch (e) { console.log(e.message) }
console.log(m.memory.buffer.byteLength > 0);
