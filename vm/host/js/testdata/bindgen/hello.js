// Glue in the style of wasm-bindgen's target web: a table of objects, strings through memory,
// closures, and an init function as the default export.
let wasm;
const heap = new Array(128).fill(undefined);
heap.push(undefined, null, true, false);
let heap_next = heap.length;
function getObject(idx) { return heap[idx]; }
function addHeapObject(obj) {
  if (heap_next === heap.length) heap.push(heap.length + 1);
  const idx = heap_next;
  heap_next = heap[idx];
  heap[idx] = obj;
  return idx;
}
function takeObject(idx) {
  const ret = getObject(idx);
  if (idx >= 132) { heap[idx] = heap_next; heap_next = idx; }
  return ret;
}
const cachedTextDecoder = typeof TextDecoder !== 'undefined' ? new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }) : null;
if (typeof TextDecoder !== 'undefined') { cachedTextDecoder.decode(); }
let cachedUint8ArrayMemory0 = null;
function getUint8ArrayMemory0() {
  if (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.byteLength === 0) {
    cachedUint8ArrayMemory0 = new Uint8Array(wasm.memory.buffer);
  }
  return cachedUint8ArrayMemory0;
}
function getStringFromWasm0(ptr, len) {
  ptr = ptr >>> 0;
  return cachedTextDecoder.decode(getUint8ArrayMemory0().subarray(ptr, ptr + len));
}
let WASM_VECTOR_LEN = 0;
const cachedTextEncoder = new TextEncoder('utf-8');
function passStringToWasm0(arg, malloc) {
  const buf = cachedTextEncoder.encode(arg);
  const ptr = malloc(buf.length, 1) >>> 0;
  getUint8ArrayMemory0().subarray(ptr, ptr + buf.length).set(buf);
  WASM_VECTOR_LEN = buf.length;
  return ptr;
}
const CounterFinalization = (typeof FinalizationRegistry === 'undefined')
  ? { register: () => {}, unregister: () => {} }
  : new FinalizationRegistry(ptr => wasm.__wbg_counter_free(ptr >>> 0, 1));
export class Counter {
  constructor() {
    this.__wbg_ptr = wasm.counter_new() >>> 0;
    CounterFinalization.register(this, this.__wbg_ptr, this);
    return this;
  }
  add(n) { return wasm.counter_add(this.__wbg_ptr, n); }
  get [Symbol.toStringTag]() { return 'Counter'; }
}
export function reverse(text) {
  const ptr = passStringToWasm0(text, wasm.__wbindgen_malloc);
  wasm.reverse(ptr, WASM_VECTOR_LEN);
  return getStringFromWasm0(ptr, WASM_VECTOR_LEN);
}
function __wbg_get_imports() {
  const imports = {};
  imports.wbg = {};
  imports.wbg.__wbg_log = function (arg0, arg1) { console.log(getStringFromWasm0(arg0, arg1)); };
  imports.wbg.__wbindgen_number_new = function (arg0) { return addHeapObject(arg0); };
  imports.wbg.__wbg_setTimeout = function (arg0, arg1) {
    const ret = setTimeout(() => wasm.__wbindgen_closure(arg0), arg1);
    return addHeapObject(ret);
  };
  imports.wbg.__wbindgen_object_drop_ref = function (arg0) { takeObject(arg0); };
  imports.wbg.__wbindgen_throw = function (arg0, arg1) { throw new Error(getStringFromWasm0(arg0, arg1)); };
  return imports;
}
async function __wbg_load(module, imports) {
  if (typeof Response === 'function' && module instanceof Response) {
    if (typeof WebAssembly.instantiateStreaming === 'function') {
      return await WebAssembly.instantiateStreaming(module, imports);
    }
  }
  const instance = await WebAssembly.instantiate(module, imports);
  return instance instanceof WebAssembly.Instance ? { instance, module } : instance;
}
async function __wbg_init(module_or_path) {
  if (wasm !== undefined) return wasm;
  if (typeof module_or_path === 'undefined') module_or_path = new URL('hello_bg.wasm', import.meta.url);
  const imports = __wbg_get_imports();
  if (typeof module_or_path === 'string' || (typeof Request === 'function' && module_or_path instanceof Request) ||
      (typeof URL === 'function' && module_or_path instanceof URL)) {
    module_or_path = fetch(module_or_path);
  }
  const { instance } = await __wbg_load(await module_or_path, imports);
  wasm = instance.exports;
  wasm.__wbindgen_start();
  const c = new Counter();
  console.log(reverse('stressed'), c.add(2), c.add(3), String(c));
  return wasm;
}
export default __wbg_init;
