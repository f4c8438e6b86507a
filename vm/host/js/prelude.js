// The surroundings of the glue: what a JavaScript shell without files and network has. N has the
// functions of the host; the result is what the host calls.
(function (N) {
'use strict';

// A stamp on an object says which value of the host it stands for.
class Stamp extends (function (o) { return o }) {
  #held;
  constructor(o, held) { super(o); this.#held = held }
  static of(o) { return (typeof o === 'object' && o !== null || typeof o === 'function') && #held in o ? o.#held : undefined }
}
const hide = (o, props) => {
  for (const k of Reflect.ownKeys(props)) {
    Object.defineProperty(o, k, { ...Object.getOwnPropertyDescriptor(props, k), enumerable: false });
  }
  return o;
};

// WebAssembly

const held = (o, kind, what) => {
  const h = Stamp.of(o);
  if (h === undefined || N.kind(h) !== kind) throw new TypeError(`${what}: receiver is not a WebAssembly.${kind}`);
  return h;
};
const errorClass = name => {
  const c = { [name]: class extends Error {} }[name];
  hide(c.prototype, { name });
  return c;
};
const CompileError = errorClass('CompileError'), LinkError = errorClass('LinkError');
const RuntimeError = errorClass('RuntimeError'), SuspendError = errorClass('SuspendError');
const size = (x, what, most = 2 ** 32 - 1) => {
  const n = Number(x);
  if (!(n >= 0 && n <= most)) throw new TypeError(`${what} must be a number from 0 to ${most}`);
  return Math.trunc(n);
};
const limits = (d, what) => {
  if (typeof d !== 'object' || d === null) throw new TypeError(`${what}: argument 0 must be a descriptor`);
  const initial = d.initial ?? d.minimum;
  if (initial === undefined) throw new TypeError(`${what}: property 'initial' is required`);
  return [size(initial, 'initial'), d.maximum === undefined ? -1 : size(d.maximum, 'maximum')];
};

// own makes an object the one that stands for a value of the host.
const own = (o, h) => { new Stamp(o, h); N.own(o, h) };

class Module {
  constructor(bytes, options) { new Stamp(this, N.compile(bytesOf(bytes), options)) }
  static exports(m) { return N.describe(held(m, 'Module', 'Module.exports'), true) }
  static imports(m) { return N.describe(held(m, 'Module', 'Module.imports'), false) }
  static customSections(m, name) { return N.sections(held(m, 'Module', 'Module.customSections'), String(name)) }
}
class Instance {
  constructor(module, imports) {
    Object.defineProperty(this, 'exports', {
      value: N.instantiate(held(module, 'Module', 'Instance'), imports), enumerable: true,
    });
  }
}
class Memory {
  constructor(d) {
    const [min, max] = limits(d, 'Memory');
    own(this, N.memory(min, max, d.shared === true, d.address === 'i64'));
  }
  get buffer() { return N.buffer(held(this, 'Memory', 'Memory.buffer')) }
  grow(n) { return N.grow(held(this, 'Memory', 'Memory.grow'), size(n, 'the number of pages')) }
}
class Table {
  constructor(d, init) {
    const [min, max] = limits(d, 'Table');
    own(this, N.table(String(d.element), min, max, init, arguments.length > 1));
  }
  get length() { return N.tableLength(held(this, 'Table', 'Table.length')) }
  get(i) { return N.tableGet(held(this, 'Table', 'Table.get'), size(i, 'the index')) }
  set(i, v) { N.tableSet(held(this, 'Table', 'Table.set'), size(i, 'the index'), v, arguments.length > 1) }
  grow(n, v) { return N.tableGrow(held(this, 'Table', 'Table.grow'), size(n, 'the number'), v, arguments.length > 1) }
}
class Global {
  constructor(d, v) {
    if (typeof d !== 'object' || d === null) throw new TypeError('Global: argument 0 must be a descriptor');
    own(this, N.global(String(d.value), d.mutable === true, v, arguments.length > 1));
  }
  get value() { return N.globalGet(held(this, 'Global', 'Global.value')) }
  set value(v) { N.globalSet(held(this, 'Global', 'Global.value'), v) }
  valueOf() { return this.value }
}
class Tag {
  constructor(d) {
    if (typeof d !== 'object' || d === null || d.parameters === undefined) {
      throw new TypeError("Tag: argument 0 must be a descriptor with 'parameters'");
    }
    own(this, N.tag([...d.parameters].map(String)));
  }
}
class Exception {
  constructor(tag, payload) {
    new Stamp(this, N.exception(held(tag, 'Tag', 'Exception'), [...payload]));
  }
  is(tag) { return N.exceptionIs(held(this, 'Exception', 'Exception.is'), held(tag, 'Tag', 'Exception.is')) }
  getArg(tag, i) {
    return N.exceptionArg(held(this, 'Exception', 'Exception.getArg'), held(tag, 'Tag', 'Exception.getArg'), size(i, 'the index'));
  }
}
class Suspending {
  constructor(f) {
    if (typeof f !== 'function') throw new TypeError('Suspending: argument 0 must be a function');
    new Stamp(this, N.suspending(f));
  }
}
const classes = { Module, Instance, Memory, Table, Global, Tag, Exception, Suspending };
for (const [name, c] of Object.entries(classes)) {
  Object.defineProperty(c.prototype, Symbol.toStringTag, { value: `WebAssembly.${name}`, configurable: true });
}
// wrap returns the object for a value of the host.
const wrap = (kind, h) => {
  const o = Object.create(classes[kind].prototype);
  new Stamp(o, h);
  return o;
};
const jsTag = wrap('Tag', N.jsTag());
const bytesOf = b => {
  if (b instanceof ArrayBuffer) return b;
  if (ArrayBuffer.isView(b)) return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);
  throw new TypeError('WebAssembly: argument 0 must be a buffer source');
};
const compile = async (b, options) => new Module(b, options);
const fromResponse = async (r, options) => {
  const response = await r;
  if (!(response instanceof Response)) throw new TypeError('WebAssembly: argument 0 must be a Response, or a promise for one');
  return new Module(await response.arrayBuffer(), options);
};
const instantiate = async (b, imports, options) => {
  if (b instanceof Module) return new Instance(b, imports);
  const module = new Module(b, options);
  await undefined;
  return { module, instance: new Instance(module, imports) };
};
const WebAssembly = Object.create(Object.prototype, {
  [Symbol.toStringTag]: { value: 'WebAssembly', configurable: true },
});
hide(WebAssembly, {
  ...classes, CompileError, LinkError, RuntimeError, SuspendError, JSTag: jsTag,
  compile, instantiate,
  compileStreaming: fromResponse,
  instantiateStreaming: async (r, imports, options) => {
    const module = await fromResponse(r, options);
    return { module, instance: new Instance(module, imports) };
  },
  validate(b, options) {
    try { new Module(b, options) } catch (e) { if (e instanceof CompileError) return false; throw e }
    return true;
  },
  promising(f) {
    if (typeof f !== 'function') throw new TypeError('promising: argument 0 must be an exported function');
    return N.promising(f);
  },
});

// console

const quote = s => {
  const q = !s.includes("'") ? "'" : !s.includes('"') ? '"' : !s.includes('`') ? '`' : "'";
  const special = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\b': '\\b', '\f': '\\f', '\v': '\\v', '\\': '\\\\' };
  let out = '';
  for (const c of s) {
    const n = c.codePointAt(0);
    out += c === q ? '\\' + c : special[c] ?? (n < 32 || n === 127 ? '\\x' + n.toString(16).toUpperCase().padStart(2, '0')
      : n >= 0xD800 && n <= 0xDFFF ? '\\u' + n.toString(16).toUpperCase() : c);
  }
  return q + out + q;
};
const plain = /^[a-zA-Z_$][a-zA-Z_$0-9]*$/;
const keyText = k => typeof k === 'symbol' ? `[${String(k)}]` : plain.test(k) ? k : quote(k);
const number = n => Object.is(n, -0) ? '-0' : String(n);
const errorText = e => {
  let name, message, stack;
  try { name = e.name; message = e.message; stack = e.stack } catch { return '[Error]' }
  let head = name === undefined ? 'Error' : String(name);
  if (message) head += ': ' + message;
  stack = typeof stack === 'string' ? stack.trimEnd() : '';
  if (stack.startsWith(head)) return stack;
  return stack ? head + '\n' + stack : head;
};
const className = o => {
  for (let p = o; p !== null && p !== undefined; p = Object.getPrototypeOf(p)) {
    const d = Object.getOwnPropertyDescriptor(p, 'constructor');
    if (d && typeof d.value === 'function' && d.value.name !== '') return d.value.name;
  }
  return null;
};
const typed = o => ArrayBuffer.isView(o) && !(o instanceof DataView);
// inspect returns a value as node prints it; it calls no getters. Where lines break, and how arrays
// are laid out, follows node's util.inspect with its defaults.
const breakLength = 80, compact = 3, maxItems = 100;
class Inspector {
  indent = 0; current = 0; seen = []; refs = new Map();
  constructor(depth, hidden) { this.depth = depth; this.hidden = hidden }

  value(v, level, inner = true) {
    switch (typeof v) {
      case 'string': return this.string(v);
      case 'number': return number(v);
      case 'bigint': return v + 'n';
      case 'symbol': case 'undefined': case 'boolean': return String(v);
    }
    if (v === null) return 'null';
    if (N.isReference(v)) return '[Object: null prototype] {}';
    if (this.seen.includes(v)) {
      if (!this.refs.has(v)) this.refs.set(v, this.refs.size + 1);
      return `[Circular *${this.refs.get(v)}]`;
    }
    return this.object(v, level, inner);
  }

  string(s) {
    let rest = '';
    if (s.length > 10000) {
      rest = `... ${s.length - 10000} more character${s.length > 10001 ? 's' : ''}`;
      s = s.slice(0, 10000);
    }
    if (s.length > 16 && s.length > breakLength - this.indent - 4 && s.includes('\n')) {
      return s.split(/(?<=\n)/).map(quote).join(` +\n${' '.repeat(this.indent + 2)}`) + rest;
    }
    return quote(s) + rest;
  }

  nested(v, level) {
    this.indent += 2;
    const s = this.value(v, level);
    this.indent -= 2;
    return s;
  }

  object(v, level, inner) {
    const name = className(v);
    let base = '', braces = ['{', '}'], keys = Reflect.ownKeys(v), items = () => [], array = false;
    const tag = Object.hasOwn(v, Symbol.toStringTag) ? '' : tagOf(v);
    const prefix = (kind, size) => {
      const n = size === undefined ? '' : `(${size})`;
      let s = name === null ? `[${kind}${n}: null prototype] ` : `${name}${n} `;
      if (name !== null && kind !== name && kind !== 'Array' && builtin.has(kind)) s += `[${kind}] `;
      if (tag && tag !== name && tag !== kind) s += `[${tag}] `;
      return s;
    };
    if (Array.isArray(v)) {
      array = true;
      keys = keys.filter(k => !index(k) && (k !== 'length' || this.hidden));
      const p = name !== 'Array' || tag ? prefix('Array', v.length) : '';
      braces = [p + '[', ']'];
      if (v.length === 0 && keys.length === 0) return braces.join('');
      items = () => this.elements(v, level, true);
    } else if (typed(v)) {
      array = true;
      keys = keys.filter(k => !index(k));
      braces = [prefix(Object.getPrototypeOf(Uint8Array.prototype)[Symbol.toStringTag] ?? name ?? 'TypedArray', v.length) + '[', ']'];
      if (v.length === 0 && keys.length === 0) return braces.join('');
      items = () => this.elements(v, level, false);
    } else if (v instanceof Map) {
      braces[0] = prefix('Map', v.size) + '{';
      if (v.size === 0 && !keys.some(k => this.shown(v, k))) return braces.join('');
      items = () => [...v].map(([k, x]) => `${this.nested(k, level + 1)} => ${this.nested(x, level + 1)}`);
    } else if (v instanceof Set) {
      braces[0] = prefix('Set', v.size) + '{';
      if (v.size === 0 && !keys.some(k => this.shown(v, k))) return braces.join('');
      items = () => [...v].map(x => this.nested(x, level + 1));
    } else if (typeof v === 'function') {
      base = functionText(v, name);
      keys = keys.filter(k => this.shown(v, k));
      if (keys.length === 0) return base;
    } else if (v instanceof RegExp || v instanceof Date) {
      base = v instanceof RegExp ? String(v) : isNaN(v) ? 'Invalid Date' : v.toISOString();
      keys = keys.filter(k => this.shown(v, k));
      if (keys.length === 0) return base;
    } else if (v instanceof Error) {
      base = errorText(v);
      if (inner && this.indent > 0) base = base.includes('\n') ? base.replace(/\n/g, '\n' + ' '.repeat(this.indent)) : `[${base}]`;
      else if (!base.includes('\n')) base = `[${base}]`;
      keys = keys.filter(k => k !== 'stack' && k !== 'message' && (this.shown(v, k) || k === 'cause' && Object.hasOwn(v, k)));
      if (keys.length === 0) return base;
    } else if (v instanceof Number || v instanceof String || v instanceof Boolean || v instanceof BigInt || v instanceof Symbol) {
      base = `[${name}: ${this.value(v.valueOf(), level)}]`;
      keys = keys.filter(k => this.shown(v, k) && !(v instanceof String && index(k)));
      if (keys.length === 0) return base;
    } else if (v instanceof Promise) {
      braces[0] = prefix('Promise') + '{';
      items = () => {
        const [state, x] = N.promiseState(v);
        return [state === 'pending' ? '<pending>' : (state === 'rejected' ? '<rejected> ' : '') + this.nested(x, level + 1)];
      };
    } else if (v instanceof VirtualWeakMap || v instanceof WeakSet) {
      braces[0] = prefix(v instanceof VirtualWeakMap ? 'WeakMap' : 'WeakSet') + '{';
      items = () => ['<items unknown>'];
    } else if (v instanceof StrongRef) {
      braces[0] = 'WeakRef {';
      items = () => [this.nested(v.deref(), level + 1)];
    } else if (v instanceof ArrayBuffer) {
      braces[0] = prefix('ArrayBuffer') + '{';
      items = () => [`byteLength: ${v.byteLength}`];
    } else {
      keys = keys.filter(k => this.shown(v, k));
      if (isArguments(v)) { array = true; braces = ['[Arguments] [', ']']; keys = keys.filter(k => !index(k)); items = () => this.elements(v, level, true) }
      else if (name !== 'Object' || tag) braces[0] = prefix('Object') + '{';
      if (keys.length === 0 && !array) return `${braces[0]}}`;
    }
    if (level > this.depth) return `[${array && name === 'Array' ? 'Array' : name === null ? 'Object: null prototype' : tag && name === 'Object' ? `Object [${tag}]` : name}]`;
    this.current = level;
    this.seen.push(v);
    const out = items();
    for (const k of keys) if (this.shown(v, k) || k === 'cause' || this.hidden && k === 'length') out.push(this.property(v, k, level));
    this.seen.pop();
    if (this.refs.has(v)) {
      const ref = `<ref *${this.refs.get(v)}>`;
      if (base === '') braces[0] = `${ref} ${braces[0]}`; else base = `${ref} ${base}`;
    }
    return this.join(out, base, braces, array, level, v);
  }

  shown(v, k) { return Object.getOwnPropertyDescriptor(v, k)?.enumerable }

  property(v, k, level) {
    const d = Object.getOwnPropertyDescriptor(v, k);
    const x = d.get ? d.set ? '[Getter/Setter]' : '[Getter]' : d.set ? '[Setter]' : this.nested(d.value, level + 1);
    return `${d.enumerable ? keyText(k) : `[${String(k)}]`}: ${x}`;
  }

  elements(v, level, holes) {
    const out = [];
    let i = 0;
    for (; i < v.length && out.length < maxItems; i++) {
      if (holes && !Object.hasOwn(v, i)) {
        const from = i;
        while (i + 1 < v.length && !Object.hasOwn(v, i + 1)) i++;
        out.push(`<${i - from + 1} empty item${i > from ? 's' : ''}>`);
      } else out.push(this.nested(v[i], level + 1));
    }
    const more = v.length - i;
    if (more > 0) out.push(`... ${more} more item${more > 1 ? 's' : ''}`);
    return out;
  }

  join(out, base, braces, array, level, v) {
    const entries = out.length;
    if (array && entries > 6) out = this.group(out, v);
    if (this.current - level < compact && entries === out.length) {
      const start = out.length + this.indent + braces[0].length + base.length + 10;
      let total = out.length + start;
      for (const s of out) total += s.length;
      if (total <= breakLength && !base.includes('\n')) {
        const line = out.join(', ');
        if (!line.includes('\n')) return `${base ? base + ' ' : ''}${braces[0]} ${line} ${braces[1]}`;
      }
    }
    const pad = '\n' + ' '.repeat(this.indent);
    return `${base ? base + ' ' : ''}${braces[0]}${pad}  ${out.join(`,${pad}  `)}${pad}${braces[1]}`;
  }

  group(out, v) {
    const n = maxItems < out.length ? out.length - 1 : out.length;
    const lengths = out.slice(0, n).map(width);
    const total = lengths.reduce((a, b) => a + b + 2, 0), longest = Math.max(...lengths), most = longest + 2;
    if (!(most * 3 + this.indent < breakLength && (total / most > 5 || longest <= 6))) return out;
    const biased = Math.max(most - 3 - Math.sqrt(most - total / out.length), 1);
    const columns = Math.min(
      Math.round(Math.sqrt(2.5 * biased * n) / biased), Math.floor((breakLength - this.indent) / most), compact * 4, 15,
    );
    if (columns <= 1) return out;
    const widths = [];
    for (let i = 0; i < columns; i++) {
      let w = 0;
      for (let j = i; j < n; j += columns) w = Math.max(w, lengths[j]);
      widths.push(w + 2);
    }
    let right = true;
    for (let i = 0; i < out.length; i++) if (typeof v[i] !== 'number' && typeof v[i] !== 'bigint') { right = false; break }
    const rows = [];
    for (let i = 0; i < n; i += columns) {
      const end = Math.min(i + columns, n);
      let row = '', j = i;
      for (; j < end - 1; j++) {
        const w = widths[j - i] + out[j].length - lengths[j];
        row += right ? `${out[j]}, `.padStart(w) : `${out[j]}, `.padEnd(w);
      }
      row += right ? out[j].padStart(widths[j - i] - 2) : out[j];
      rows.push(row);
    }
    if (maxItems < out.length) rows.push(out[n]);
    return rows;
  }
}
// width returns how many columns a text takes, nearly.
const width = s => {
  if (/^[\x20-\x7E]*$/.test(s)) return s.length;
  let n = 0;
  for (const c of s.normalize('NFC')) {
    n += /\p{Mn}|\p{Me}|\p{Cf}|\p{Cc}/u.test(c) ? 0
      : /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u.test(c) ? 2 : 1;
  }
  return n;
};
const index = k => typeof k === 'string' && /^(0|[1-9]\d*)$/.test(k);
const builtin = new Set(['Array', 'Map', 'Set', 'Promise', 'WeakMap', 'WeakSet', 'ArrayBuffer']);
const tagOf = v => {
  for (let p = v; p !== null; p = Object.getPrototypeOf(p)) {
    const d = Object.getOwnPropertyDescriptor(p, Symbol.toStringTag);
    if (d) return typeof d.value === 'string' ? d.value : '';
  }
  return '';
};
const isArguments = v => Object.prototype.toString.call(v) === '[object Arguments]';
const functionText = (f, name) => {
  const own = Object.getOwnPropertyDescriptor(f, 'name')?.value;
  if (/^class\b/.test(Function.prototype.toString.call(f))) {
    const base = Object.getPrototypeOf(f);
    let s = own ? `[class ${own}` : '[class (anonymous)';
    if (base !== Function.prototype) s += base === null ? ' extends [null prototype]' : base.name ? ` extends ${base.name}` : '';
    return s + ']';
  }
  return `[${name === null ? 'Function (null prototype)' : name ?? 'Function'}${own ? ': ' + own : ' (anonymous)'}]`;
};
const inspect = (v, depth = 2, hidden = false) => new Inspector(depth, hidden).value(v, 0, false);
const format = args => {
  let out = '', i = 0;
  if (typeof args[0] === 'string' && args.length > 1) {
    i = 1;
    out = args[0].replace(/%([sdifjoOc%])/g, (all, c) => {
      if (c === '%') return '%';
      if (i >= args.length) return all;
      const v = args[i++];
      switch (c) {
        case 's': return typeof v === 'string' ? v : typeof v === 'bigint' ? v + 'n'
          : typeof v === 'object' && v !== null && !(v instanceof Error) || typeof v === 'function' ? inspect(v, 0)
          : v instanceof Error ? errorText(v) : typeof v === 'number' ? number(v) : String(v);
        case 'd': return typeof v === 'bigint' ? v + 'n' : typeof v === 'symbol' ? 'NaN' : number(Number(v));
        case 'i': return typeof v === 'bigint' ? v + 'n' : typeof v === 'symbol' ? 'NaN' : number(parseInt(v));
        case 'f': return typeof v === 'symbol' ? 'NaN' : number(parseFloat(v));
        case 'j': try { return JSON.stringify(v) } catch { return '[Circular]' }
        case 'c': return '';
        case 'o': return inspect(v, 4, true);
      }
      return inspect(v, 4);
    });
  } else if (args.length > 0) {
    i = 1;
    out = typeof args[0] === 'string' ? args[0] : inspect(args[0]);
  }
  for (; i < args.length; i++) out += ' ' + (typeof args[i] === 'string' ? args[i] : inspect(args[i]));
  return out;
};
let indent = '';
const print = (fd, text) => N.write(fd, (indent ? text.replace(/^/gm, indent) : text) + '\n');
const counts = new Map(), clocks = new Map();
const out = (...args) => print(1, format(args)), err = (...args) => print(2, format(args));
const console = hide({}, { [Symbol.toStringTag]: 'console' });
for (const [name, f] of Object.entries({
  log: out, info: out, debug: out, error: err, warn: err,
  trace: (...args) => err(...(args.length ? ['Trace: ' + format(args)] : ['Trace'])),
  dir: v => print(1, inspect(v)), dirxml: out, table: out,
  assert(ok, ...args) { if (!ok) err(...(typeof args[0] === 'string' ? ['Assertion failed: ' + args[0], ...args.slice(1)] : ['Assertion failed', ...args])) },
  group(...args) { if (args.length) out(...args); indent += '  ' },
  groupEnd() { indent = indent.slice(2) },
  count(label = 'default') { counts.set(label, (counts.get(label) ?? 0) + 1); out(`${label}: ${counts.get(label)}`) },
  countReset(label = 'default') { counts.delete(label) },
  time(label = 'default') { clocks.set(label, N.now()) },
  timeEnd(label = 'default') { if (clocks.has(label)) out(`${label}: ${N.now() - clocks.get(label)}ms`); clocks.delete(label) },
  timeLog(label = 'default', ...args) { if (clocks.has(label)) out(`${label}: ${N.now() - clocks.get(label)}ms`, ...args) },
})) console[name] = { [name]: f }[name];
console.groupCollapsed = console.group;

// Time and chance

const timers = new Map();
let lastTimer = 0;
const start = (f, ms, args, every) => {
  ms = Math.max(0, Math.trunc(Number(ms)) || 0);
  if (ms > 2 ** 31 - 1) ms = 1;
  const id = ++lastTimer;
  timers.set(id, { f: typeof f === 'function' ? f : () => (0, eval)(String(f)), args, every: every ? Math.max(1, ms) : 0 });
  N.timer(ms, id, typeof f === 'function' ? f.name : '');
  return id;
};
const stopTimer = id => { timers.delete(Number(id)) };
const fire = id => {
  const t = timers.get(id);
  if (t === undefined) return;
  if (t.every) N.timer(t.every, id, t.f.name); else timers.delete(id);
  t.f.apply(globalThis, t.args);
};
const RealDate = Date;
const VirtualDate = function Date(...args) {
  if (new.target === undefined) return new VirtualDate().toString();
  return Reflect.construct(RealDate, args.length ? args : [N.time()], new.target === VirtualDate ? VirtualDate : new.target);
};
Object.defineProperty(VirtualDate, 'prototype', { value: RealDate.prototype, writable: false });
Object.defineProperty(VirtualDate, 'length', { value: 7 });
hide(VirtualDate, { now: { now: () => N.time() }.now, parse: RealDate.parse, UTC: RealDate.UTC });
hide(RealDate.prototype, { constructor: VirtualDate });
hide(Math, { random: { random: () => N.random() }.random });
class Performance {
  get timeOrigin() { return N.time() - N.now() }
  now() { return N.now() }
  mark() {}
  measure() {}
}

// Texts

class TextEncoder {
  get encoding() { return 'utf-8' }
  encode(s = '') { return new Uint8Array(N.encode(String(s))) }
  encodeInto(s, to) {
    const b = new Uint8Array(N.encode(String(s)));
    let written = Math.min(b.length, to.length);
    while (written < b.length && written > 0 && (b[written] & 0xC0) === 0x80) written--;
    to.set(b.subarray(0, written));
    let read = 0;
    for (let i = 0; i < written; i++) if ((b[i] & 0xC0) !== 0x80) read += b[i] >= 0xF0 ? 2 : 1;
    return { read, written };
  }
}
class TextDecoder {
  #fatal; #bom; #rest = new Uint8Array(0); #label;
  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    const l = String(label).toLowerCase().trim();
    if (!['utf-8', 'utf8', 'unicode-1-1-utf-8', 'utf-16le', 'utf-16', 'latin1', 'ascii', 'iso-8859-1', 'windows-1252'].includes(l)) {
      throw new RangeError(`The "${label}" encoding is not supported`);
    }
    this.#label = /^utf-?16/.test(l) ? 'utf-16le' : /utf-?8$/.test(l) ? 'utf-8' : 'windows-1252';
    this.#fatal = !!fatal; this.#bom = !!ignoreBOM;
  }
  get encoding() { return this.#label }
  get fatal() { return this.#fatal }
  get ignoreBOM() { return this.#bom }
  decode(b = new Uint8Array(0), { stream = false } = {}) {
    let v = ArrayBuffer.isView(b) ? new Uint8Array(b.buffer, b.byteOffset, b.byteLength) : new Uint8Array(b);
    if (this.#rest.length) {
      const all = new Uint8Array(this.#rest.length + v.length);
      all.set(this.#rest); all.set(v, this.#rest.length);
      v = all;
      this.#rest = new Uint8Array(0);
    }
    let s;
    if (this.#label === 'utf-8') {
      if (stream) {
        let n = v.length, k = 0;
        while (k < 3 && n > 0 && (v[n - 1] & 0xC0) === 0x80) { n--; k++ }
        if (n > 0 && v[n - 1] >= (k === 0 ? 0xC0 : k === 1 ? 0xE0 : 0xF0)) { this.#rest = v.slice(n - 1); v = v.subarray(0, n - 1) }
      }
      s = N.decode(v.buffer, v.byteOffset, v.byteLength, this.#fatal);
    } else if (this.#label === 'utf-16le') {
      s = '';
      for (let i = 0; i + 1 < v.length; i += 2) s += String.fromCharCode(v[i] | v[i + 1] << 8);
      if (v.length % 2 === 1) { if (stream) this.#rest = v.slice(-1); else s += '\uFFFD' }
      s = s.toWellFormed();
    } else {
      s = '';
      for (const c of v) s += String.fromCharCode(c);
    }
    return !this.#bom && s.charCodeAt(0) === 0xFEFF ? s.slice(1) : s;
  }
}
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const btoa = s => {
  let out = '';
  s = String(s);
  for (let i = 0; i < s.length; i += 3) {
    const c = [s.charCodeAt(i), s.charCodeAt(i + 1), s.charCodeAt(i + 2)];
    if (c.some(x => x > 255)) throw new RangeError('btoa: the string has characters beyond 255');
    const n = c[0] << 16 | c[1] << 8 | c[2];
    out += alphabet[n >> 18] + alphabet[n >> 12 & 63] + (i + 1 < s.length ? alphabet[n >> 6 & 63] : '=') + (i + 2 < s.length ? alphabet[n & 63] : '=');
  }
  return out;
};
const atob = s => {
  s = String(s).replace(/[\t\n\f\r ]/g, '').replace(/=+$/, '');
  let out = '', n = 0, bits = 0;
  for (const c of s) {
    const x = alphabet.indexOf(c);
    if (x < 0) throw new RangeError('atob: the string is not base64');
    n = (n << 6 | x) & 0xFFFFFF;
    bits += 6;
    if (bits >= 8) { bits -= 8; out += String.fromCharCode(n >> bits & 255) }
  }
  return out;
};
const structuredClone = (v, seen = new Map()) => {
  if (typeof v === 'function' || typeof v === 'symbol') throw new TypeError(`${String(v)} could not be cloned`);
  if (typeof v !== 'object' || v === null) return v;
  if (seen.has(v)) return seen.get(v);
  const put = x => { seen.set(v, x); return x };
  const clone = x => structuredClone(x, seen);
  if (v instanceof RealDate) return put(new RealDate(+v));
  if (v instanceof RegExp) return put(new RegExp(v.source, v.flags));
  if (v instanceof Boolean || v instanceof Number || v instanceof String) return put(Object(v.valueOf()));
  if (v instanceof ArrayBuffer) return put(v.slice(0));
  if (ArrayBuffer.isView(v)) return put(new v.constructor(v.buffer.slice(v.byteOffset, v.byteOffset + v.byteLength)));
  if (v instanceof Map) { const m = put(new Map()); for (const [k, x] of v) m.set(clone(k), clone(x)); return m }
  if (v instanceof Set) { const m = put(new Set()); for (const x of v) m.add(clone(x)); return m }
  if (v instanceof Error) {
    const e = put(Object.create(v instanceof TypeError ? TypeError.prototype : v instanceof RangeError ? RangeError.prototype : Error.prototype));
    return hide(e, { message: v.message, stack: v.stack });
  }
  if (Stamp.of(v) !== undefined || N.isReference(v)) throw new TypeError('the object could not be cloned');
  const o = put(Array.isArray(v) ? new Array(v.length) : {});
  for (const k of Object.keys(v)) o[k] = clone(v[k]);
  return o;
};

// What glue loads its module with

class URL {
  #u;
  constructor(url, base) {
    url = String(url);
    let m = /^([a-zA-Z][a-zA-Z0-9+.-]*):(\/\/([^\/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/.exec(url);
    if (!m) {
      if (base === undefined) throw new TypeError(`Invalid URL: '${url}'`);
      const b = new URL(base), r = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(url);
      let path = r[1] === '' ? b.pathname : r[1].startsWith('/') ? r[1] : b.pathname.replace(/[^\/]*$/, '') + r[1];
      m = [null, b.protocol.slice(0, -1), '//', b.host, path, r[2] ?? '', r[3] ?? ''];
    }
    const parts = [];
    for (const p of m[4].split('/')) { if (p === '..') { if (parts.length > 1) parts.pop() } else if (p !== '.') parts.push(p) }
    this.#u = { protocol: m[1].toLowerCase() + ':', host: m[3] ?? '', slashes: m[2] !== undefined, pathname: parts.join('/'), search: m[5] ?? '', hash: m[6] ?? '' };
  }
  get href() { const u = this.#u; return u.protocol + (u.slashes ? '//' + u.host : '') + u.pathname + u.search + u.hash }
  get protocol() { return this.#u.protocol }
  get host() { return this.#u.host }
  get hostname() { return this.#u.host.replace(/:\d+$/, '') }
  get port() { return /:(\d+)$/.exec(this.#u.host)?.[1] ?? '' }
  get pathname() { return this.#u.pathname }
  get search() { return this.#u.search === '?' ? '' : this.#u.search }
  get hash() { return this.#u.hash === '#' ? '' : this.#u.hash }
  get origin() { return this.#u.protocol === 'file:' ? 'null' : this.#u.protocol + '//' + this.#u.host }
  toString() { return this.href }
  toJSON() { return this.href }
}
class Response {
  #b;
  constructor(b, url) { this.#b = b; hide(this, { url: url ?? '', ok: true, status: 200, statusText: 'OK', type: 'basic', bodyUsed: false }) }
  get headers() { return { get: n => String(n).toLowerCase() === 'content-type' ? 'application/wasm' : null } }
  async arrayBuffer() { return this.#b.slice(0) }
  async bytes() { return new Uint8Array(this.#b.slice(0)) }
  clone() { return new Response(this.#b, this.url) }
}
const fetch = async url => {
  const u = new URL(url instanceof URL ? url.href : url?.url ?? url, 'file:///');
  return new Response(N.file(u.protocol === 'file:' ? u.pathname : u.href), u.href);
};
// A WeakMap keeps its values in the keys. The engine's own keeps a value for as long as the map lives
// if the value leads back to its key, as the functions do that Kotlin's glue keeps for objects.
const EngineWeakMap = WeakMap;
const slots = () => {
  class Slot extends (function (o) { return o }) {
    #value; #there = true;
    static has(o) { return #there in o && o.#there }
    static get(o) { return #there in o && o.#there ? o.#value : undefined }
    static set(o, v) {
      if (!(#there in o)) new Slot(o);
      o.#value = v;
      o.#there = true;
    }
    static delete(o) {
      if (!Slot.has(o)) return false;
      o.#value = undefined;
      o.#there = false;
      return true;
    }
  }
  return Slot;
};
const isObject = x => typeof x === 'object' && x !== null || typeof x === 'function';
const VirtualWeakMap = class WeakMap {
  #slots = slots(); #symbols = new EngineWeakMap();
  constructor(entries) { if (entries !== undefined && entries !== null) for (const [k, v] of entries) this.set(k, v) }
  #of(k) { return typeof k === 'symbol' ? this.#symbols : isObject(k) ? this.#slots : null }
  get(k) { return this.#of(k)?.get(k) }
  has(k) { return this.#of(k)?.has(k) ?? false }
  delete(k) { return this.#of(k)?.delete(k) ?? false }
  set(k, v) {
    const at = this.#of(k);
    if (at === null) throw new TypeError('Invalid value used as weak map key');
    at.set(k, v);
    return this;
  }
};
Object.defineProperty(VirtualWeakMap.prototype, Symbol.toStringTag, { value: 'WeakMap', configurable: true });
class FinalizationRegistry { constructor(f) { if (typeof f !== 'function') throw new TypeError('FinalizationRegistry: cleanup must be callable') } register() {} unregister() { return false } }
class StrongRef { #x; constructor(x) { if (Object(x) !== x && typeof x !== 'symbol') throw new TypeError('WeakRef: invalid target'); this.#x = x } deref() { return this.#x } }
Object.defineProperty(StrongRef, 'name', { value: 'WeakRef' });

hide(globalThis, {
  WebAssembly, console, self: globalThis, TextEncoder, TextDecoder, URL, Response, fetch, btoa, atob, structuredClone: v => structuredClone(v),
  Date: VirtualDate, performance: new Performance(), Performance, FinalizationRegistry, WeakRef: StrongRef, WeakMap: VirtualWeakMap,
  setTimeout: (f, ms, ...args) => start(f, ms, args, false), setInterval: (f, ms, ...args) => start(f, ms, args, true),
  clearTimeout: stopTimer, clearInterval: stopTimer, setImmediate: undefined,
  queueMicrotask(f) {
    if (typeof f !== 'function') throw new TypeError('queueMicrotask: argument 0 must be a function');
    Promise.resolve().then(() => f());
  },
  crypto: hide({}, {
    getRandomValues(a) { for (let i = 0; i < a.length; i++) a[i] = typeof a[i] === 'bigint' ? BigInt(Math.floor(N.random() * 2 ** 53)) : Math.floor(N.random() * 2 ** 32); return a },
    randomUUID() {
      const h = Array.from({ length: 32 }, (_, i) => i === 12 ? '4' : (i === 16 ? 8 + Math.floor(N.random() * 4) : Math.floor(N.random() * 16)).toString(16)).join('');
      return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
    },
  }),
});
delete globalThis.setImmediate;

// What the host calls

// others are modules that the program can import from, besides what its glue offers.
const others = Object.create(null);
const errors = { TypeError, RangeError, Error, CompileError, LinkError, RuntimeError, SuspendError };
return {
  handle: o => Stamp.of(o),
  wrap,
  error(kind, text, h) {
    const e = new errors[kind](text);
    if (h !== undefined) new Stamp(e, h);
    return e;
  },
  fire,
  list: it => [...it],
  other: (module, name) => others[module]?.[name],
  // text returns a value for people, without calling code of the program.
  text(v) {
    if (v instanceof Error) return errorText(v).split('\n')[0];
    return inspect(v, 1);
  },
  // uncaught returns an exception that nothing catches for people.
  uncaught: v => v instanceof Error ? errorText(v) : inspect(v),
  exports(entries) {
    const o = Object.create(null);
    for (const [k, v] of entries) Object.defineProperty(o, k, { value: v, enumerable: true });
    return Object.freeze(o);
  },
  then(p, ok, bad) { Promise.resolve(p).then(ok, bad) },
  deferred() { let a, b; const p = new Promise((x, y) => { a = x; b = y }); return [p, a, b] },
  // run evaluates glue. If that does not instantiate the program, it goes on as the compilers' loaders
  // do: with an importObject (Kotlin), a default function (wasm-bindgen, Emscripten), compile and
  // instantiate (Dart), or instantiate (AssemblyScript).
  async run(path, file, modules) {
    for (const [name, p] of Object.entries(modules)) others[name] = await import(p);
    const bytes = () => N.file(file);
    if (path === null) return new Instance(new Module(bytes()), {});
    const ns = await import(path);
    if (N.instantiated()) return;
    if (typeof ns.importObject === 'object' && ns.importObject !== null) {
      const instance = new Instance(new Module(bytes(), { builtins: ['js-string'], importedStringConstants: "'" }), ns.importObject);
      ns.setWasmExports?.(instance.exports);
    } else if (typeof ns.default === 'function') {
      await ns.default();
    } else if (typeof ns.compile === 'function') {
      const app = await (await ns.compile(new Uint8Array(bytes()))).instantiate({});
      app.invokeMain?.();
    } else if (typeof ns.instantiate === 'function') {
      await ns.instantiate(new Module(bytes()), {});
    } else {
      const instance = new Instance(new Module(bytes()), { ...ns });
      ns.setWasmExports?.(instance.exports);
    }
  },
};
})
