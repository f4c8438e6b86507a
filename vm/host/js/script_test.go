//go:build !js

package js_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/vm/host/js"
	"stackscope/wasm/binary"
)

// load is glue that instantiates test.wasm with an object of imports, as e.
const load = `
const { instance, module } = await WebAssembly.instantiateStreaming(fetch(new URL('./test.wasm', import.meta.url)), imports,
  { builtins: ['js-string'], importedStringConstants: "'" });
const e = instance.exports;
const caught = f => { try { return f() } catch (x) { return x instanceof Error ? x.constructor.name + ': ' + x.message : x } };
`

// scripts are programs and what they print.
var scripts = []struct{ name, before, text, after, want string }{
	{
		"values", `const seen = []; const imports = { env: { id: x => x, see: (...xs) => { seen.push(...xs) } } };`,
		`(import "env" "id" (func $id (param externref) (result externref)))
		(import "env" "see" (func $see (param i32 i64 f32 f64 externref)))
		(import "env" "id" (func $i32 (param i32) (result i32)))
		(type $s (struct (field i32))) (type $a (array i8))
		(global $s (ref $s) (struct.new $s (i32.const 7)))
		(func (export "id") (param externref) (result externref) (call $id (local.get 0)))
		(func (export "i64") (param i64) (result i64) (i64.add (local.get 0) (i64.const 1)))
		(func (export "f32") (param f32) (result f32) (local.get 0))
		(func (export "f64") (param f64) (result f64) (local.get 0))
		(func (export "i32") (param i32) (result i32) (call $i32 (local.get 0)))
		(func (export "two") (param i32) (result i32 i64) (local.get 0) (i64.const 9))
		(func (export "struct") (result (ref null struct)) (global.get $s))
		(func (export "isStruct") (param anyref) (result i32) (ref.test (ref $s) (local.get 0)))
		(func (export "isI31") (param externref) (result i32) (ref.test (ref i31) (any.convert_extern (local.get 0))))
		(func (export "array") (result (ref $a)) (array.new_default $a (i32.const 3)))
		(func (export "func") (result funcref) (ref.func $two))
		(func $two (result i32) (i32.const 2)) (elem declare func $two)
		(func (export "call") (param funcref) (result i32) (call_ref $f (ref.cast (ref $f) (local.get 0))))
		(type $f (func (result i32)))
		(func (export "nonNull") (param (ref extern)))
		(func (export "see") (call $see (i32.const -1) (i64.const -1) (f32.const 0.1) (f64.const -0) (ref.null extern)))`,
		`const o = {}, sy = Symbol('s');
		console.log([o, sy, 'é\u{1F600}\uD83D', '', 0, -0, 1.5, 2 ** 30, -(2 ** 30), NaN, true, null, undefined, 10n ** 30n, e.id].every(x => Object.is(e.id(x), x)));
		console.log(e.i64(2n ** 63n - 1n), e.i64(-1n), caught(() => e.i64(1)), e.f32(0.1), e.f64('0x10'), e.i32(2 ** 32 + 5), e.i32('7'), e.i32());
		console.log(e.two(4), e.two.name, e.two.length, typeof e.two, e.id === instance.exports.id);
		const s = e.struct();
		console.log(s === e.struct(), e.isStruct(s), e.isStruct(o), e.id(s) === s, e.array() === e.array(), typeof s, Object.getPrototypeOf(s), caught(() => { 'use strict'; s.x = 1 }));
		console.log(e.isI31(5), e.isI31(-0), e.isI31(0.5), e.isI31(2 ** 30 - 1), e.isI31(2 ** 30), e.isI31('5'));
		console.log(e.func()(), e.call(e.func()), e.func() === e.func(), caught(() => e.call(() => 1)), caught(() => e.nonNull(null)));
		e.see(); console.log(seen);
		console.log(new WeakMap([[s, 1]]).get(e.struct()), Object.isFrozen(e), Object.getPrototypeOf(e));
		console.log(WebAssembly.Module.imports(module).length, WebAssembly.Module.exports(module)[0], WebAssembly.validate(new Uint8Array([0])));`,
		`true
-9223372036854775808n 0n TypeError: cannot convert to bigint 0.10000000149011612 16 5 7 0
[ 4, 9n ] 8 1 function true
true 1 0 true false object null TypeError: object is not extensible
1 0 0 1 0 0
2 2 true TypeError: a value of type function is not of type funcref TypeError: null is not of type (ref extern)
[ -1, -1n, 0.10000000149011612, -0, null ]
1 true null
3 { name: 'id', kind: 'function' } false
`,
	},
	{
		"exceptions", `const imports = { env: { tag: WebAssembly.JSTag, own: new WebAssembly.Tag({ parameters: ['i32', 'externref'] }),
			throws: x => { throw x }, calls: f => f(), tries: f => { try { f() } catch (x) { return x } } } };`,
		`(import "env" "tag" (tag $js (param externref)))
		(import "env" "own" (tag $own (param i32 externref)))
		(import "env" "throws" (func $throws (param externref)))
		(import "env" "calls" (func $calls (param externref)))
		(import "env" "tries" (func $tries (param externref) (result externref)))
		(func (export "catch") (param externref) (result externref)
			(block $h (result externref) (try_table (catch $js $h) (call $throws (local.get 0))) (ref.null extern)))
		(func (export "catchOwn") (param externref) (result i32 externref)
			(block $h (result i32 externref) (try_table (catch $own $h) (call $calls (local.get 0)))
				(i32.const -1) (ref.null extern)))
		(func (export "catchAll") (param externref) (result i32)
			(block $h (try_table (catch_all $h) (call $calls (local.get 0))) (return (i32.const 0))) (i32.const 1))
		(func (export "throw") (param externref) (throw $js (local.get 0)))
		(func (export "throwOwn") (param i32 externref) (throw $own (local.get 0) (local.get 1)))
		(func (export "trap") (unreachable))
		(func (export "divide") (param i32) (result i32) (i32.div_s (i32.const 1) (local.get 0)))
		(func $deep (export "deep") (call $deep) (nop))
		(func (export "tries") (param externref) (result externref) (call $tries (local.get 0)))`,
		`const own = imports.env.own, o = { a: 1 };
		console.log(e.catch(o) === o, e.catch('text'), e.catch(undefined), e.catch(null), e.catch(7));
		try { e.throw(o) } catch (x) { console.log('thrown', x === o) }
		try { e.throwOwn(3, o) } catch (x) {
			console.log(x instanceof WebAssembly.Exception, x.is(own), x.is(WebAssembly.JSTag), x.getArg(own, 0), x.getArg(own, 1) === o);
			console.log(caught(() => x.getArg(own, 2)), caught(() => x.getArg(WebAssembly.JSTag, 0)));
			console.log(e.catchOwn(() => { throw x }));
		}
		console.log(e.catchOwn(() => { throw new WebAssembly.Exception(own, [5, 'five']) }), caught(() => new WebAssembly.Exception(own, [5])));
		console.log(e.catchOwn(() => e.throwOwn(6, null)), e.catchAll(() => { throw 1 }), e.catchAll(() => {}));
		console.log(caught(() => e.trap()), caught(() => e.divide(0)), caught(() => e.deep()));
		const trap = e.tries(() => e.trap());
		console.log(trap instanceof WebAssembly.RuntimeError, trap instanceof Error, trap.message);
		console.log(caught(() => e.catchAll(() => e.trap())), caught(() => e.catchAll(() => { throw trap })));
		console.log(caught(() => e.catch.call(null)), caught(() => e.catchOwn(5)));`,
		`true text undefined null 7
thrown true
true true false 3 true
RangeError: Exception.getArg: there is no such value TypeError: Exception.getArg: the exception has another tag
[ 3, { a: 1 } ]
[ 5, 'five' ] TypeError: Exception: the tag takes 2 values
[ 6, null ] 1 0
RuntimeError: unreachable RuntimeError: integer divide by zero RangeError: Maximum call stack size exceeded
true true unreachable
RuntimeError: unreachable RuntimeError: unreachable
undefined TypeError: not a function
`,
	},
	{
		"order", `const imports = {};`, `(func (export "f"))`,
		`const log = [];
		const say = x => () => log.push(x);
		setTimeout(say('t10'), 10); setTimeout(say('t0'), 0); setTimeout(say('t5'), 5);
		setTimeout((a, b) => log.push(a + b), 5, 'x', 'y');
		const gone = setTimeout(say('never'), 1); clearTimeout(gone);
		let n = 0; const every = setInterval(() => { log.push('i' + n + '@' + performance.now()); if (++n === 3) clearInterval(every) }, 4);
		Promise.resolve().then(say('p1')).then(say('p2'));
		queueMicrotask(say('m'));
		(async () => { log.push('a1'); await null; log.push('a2'); for await (const x of (async function* () { yield 'g1'; yield 'g2' })()) log.push(x) })();
		log.push('sync');
		setTimeout(() => { log.push('micro after'); queueMicrotask(say('in timer')); setTimeout(say('nested'), 0) }, 6);
		setTimeout(() => console.log(log.join(' ')), 1000000);
		const t = Date.now(); setTimeout(() => console.log(Date.now() - t, new Date() - t, new Date(2001, 1).getMonth(), Date() === String(new Date())), 3600000);`,
		`a1 sync p1 m a2 p2 g1 g2 t0 i0@4 t5 xy micro after in timer nested i1@8 t10 i2@12
3600000 3600000 1 true
`,
	},
	{
		"memory", `const imports = { env: { memory: new WebAssembly.Memory({ initial: 1, maximum: 3 }), table: new WebAssembly.Table({ element: 'anyfunc', initial: 2 }),
			g: new WebAssembly.Global({ value: 'i32', mutable: true }, 5), constant: 8, grown: () => imports.env.after = imports.env.before.byteLength } };
			imports.env.before = new Uint8Array(imports.env.memory.buffer);`,
		`(import "env" "memory" (memory 1)) (import "env" "table" (table 2 funcref)) (import "env" "g" (global $g (mut i32)))
		(import "env" "constant" (global $c i32)) (import "env" "grown" (func $grown))
		(func $seven (result i32) (i32.const 7)) (elem (i32.const 0) $seven)
		(memory (export "second") 1)
		(func (export "grow") (drop (memory.grow (i32.const 1))) (call $grown))
		(func (export "load") (param i32) (result i32) (i32.load8_u (local.get 0)))
		(func (export "store") (param i32 i32) (i32.store8 (local.get 0) (local.get 1)))
		(func (export "bump") (global.set $g (i32.add (global.get $g) (global.get $c))))
		(export "g" (global $g))`,
		`const { memory, table, g } = imports.env;
		const u = new Uint8Array(memory.buffer);
		u[3] = 42; e.store(4, 43);
		console.log(e.load(3), u[4], memory.buffer === memory.buffer, u.length);
		e.grow(); console.log(u.length, imports.env.after, memory.buffer.byteLength / 65536, new Uint8Array(memory.buffer)[3]);
		console.log(memory.grow(1), memory.buffer.byteLength / 65536, caught(() => memory.grow(1)), e.second.buffer.byteLength);
		console.log(table.get(0)(), table.get(1), table.length, caught(() => table.get(2)), table.grow(1), table.length);
		table.set(1, e.bump); table.get(1)(); console.log(g.value, e.g === g, e.bump === table.get(1), caught(() => table.set(0, () => 1)));
		g.value = -1; e.bump(); console.log(g.value + 0, g.valueOf(), caught(() => new WebAssembly.Global({ value: 'i9' })));
		console.log(caught(() => { new WebAssembly.Global({ value: 'i64' }, 5n).value = 6n }), new WebAssembly.Global({ value: 'i64', mutable: true }, 5n).value);
		console.log(caught(() => new WebAssembly.Memory({})), caught(() => new WebAssembly.Memory({ initial: 2, maximum: 1 })), caught(() => WebAssembly.Memory.prototype.grow.call({}, 1)));`,
		`42 43 true 65536
0 0 2 42
2 3 RangeError: Memory.grow: the memory cannot grow by so much 65536
7 null 2 RangeError: Table: index 2 is beyond the end 2 3
13 true true TypeError: a value of type function is not of type funcref
7 7 TypeError: Global: "i9" is no type
TypeError: Global: the global is immutable 5n
TypeError: Memory: property 'initial' is required RangeError: Memory: the initial size is beyond the maximum TypeError: Memory.grow: receiver is not a WebAssembly.Memory
`,
	},
	{
		"texts", `const imports = {};`, `(func (export "f"))`,
		`console.log(new TextEncoder().encode('aé\u{1F600}\uD83D'), new TextDecoder().decode(new Uint8Array([97, 195, 169, 240, 159, 152, 128, 255, 226, 130])));
		console.log(new TextEncoder().encodeInto('é\u{1F600}x', new Uint8Array(5)), caught(() => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))));
		const d = new TextDecoder(); console.log(d.decode(new Uint8Array([240, 159]), { stream: true }) + d.decode(new Uint8Array([152, 128])), new TextDecoder('utf-16le').decode(new Uint8Array([104, 0, 105, 0])));
		console.log(btoa('hello'), atob('aGVsbG8='), structuredClone({ a: [1, new Map([[1, 2]])], d: new Date(0) }), caught(() => structuredClone(() => 1)));
		console.log(new URL('../x/y.wasm?q#h', 'file:///a/b/c.mjs').href, new URL('https://h:8/p').host, caught(() => new URL('no')));
		const a = Math.random(); console.log(a >= 0 && a < 1, typeof crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)).length);
		console.log(typeof process, typeof Deno, typeof window, typeof require, typeof d8, typeof globalThis.self);
		console.error('to standard error');`,
		`Uint8Array(10) [
   97, 195, 169, 240,
  159, 152, 128, 239,
  191, 189
] aé😀��
{ read: 1, written: 2 } TypeError: the encoded data is not valid UTF-8
😀 hi
aGVsbG8= hello { a: [ 1, Map(1) { 1 => 2 } ], d: 1970-01-01T00:00:00.000Z } TypeError: () => 1 could not be cloned
file:///a/x/y.wasm?q#h h:8 TypeError: Invalid URL: 'no'
true string 4
undefined undefined undefined undefined undefined object
`,
	},
	{
		"promises", `const imports = { env: { wait: new WebAssembly.Suspending(ms => new Promise(r => setTimeout(() => r(ms * 2), ms))),
			fail: new WebAssembly.Suspending(async () => { throw new Error('no') }), plain: new WebAssembly.Suspending(x => x + 1),
			tag: WebAssembly.JSTag, through: f => f() } };`,
		`(import "env" "wait" (func $wait (param i32) (result i32)))
		(import "env" "fail" (func $fail (result i32)))
		(import "env" "plain" (func $plain (param i32) (result i32)))
		(import "env" "tag" (tag $js (param externref)))
		(import "env" "through" (func $through (param externref) (result i32)))
		(func (export "wait") (param i32) (result i32) (i32.add (call $wait (local.get 0)) (call $wait (i32.const 1))))
		(func (export "fail") (result i32) (call $fail))
		(func (export "catch") (result externref)
			(block $h (result externref) (try_table (catch $js $h) (drop (call $fail))) (ref.null extern)))
		(func (export "plain") (result i32) (call $plain (i32.const 4)))
		(func (export "through") (param externref) (result i32) (call $through (local.get 0)))
		(func (export "trap") (result i32) (drop (call $wait (i32.const 1))) (unreachable))`,
		`const wait = WebAssembly.promising(e.wait), p = f => WebAssembly.promising(f)().catch(x => x.constructor.name + ': ' + x.message);
		console.log(wait(10), await wait(10), performance.now(), await Promise.all([wait(5), wait(3)]), performance.now());
		console.log(await p(e.fail), await p(e.plain), (await WebAssembly.promising(e.catch)()).message, await p(e.trap));
		console.log(caught(() => e.wait(1)), await WebAssembly.promising(e.through)(() => e.wait(1)).catch(x => x.constructor.name));
		console.log(caught(() => WebAssembly.promising(() => 1)), caught(() => new WebAssembly.Suspending(1)));`,
		`Promise { 22 } 22 11 [ 12, 8 ] 17
Error: no 5 no RuntimeError: unreachable
SuspendError: suspension outside a promising call SuspendError
TypeError: promising: argument 0 must be an exported function TypeError: Suspending: argument 0 must be a function
`,
	},
	{
		"helpers", `const helper = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0,
			1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]))).exports;
			const imports = { env: { f: helper.f } };`,
		`(import "env" "f" (func $f (result i32))) (func (export "g") (result i32) (call $f))`,
		`console.log(helper.f(), e.g());
		console.log(await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 2, 0, 0, 0])).catch(x => x.constructor.name));
		console.log(await WebAssembly.instantiate(module, imports).catch(x => x.constructor.name + ': ' + x.message));
		console.log(await fetch('other.wasm').catch(x => x.message), await import('./nothing.mjs').catch(x => x.message.replace(/:.*/, '')));
		console.log(await import('node:fs').catch(x => x.message), await import('../up.mjs').catch(x => x.message.replace(/:.*/, '')));`,
		`42 42
CompileError
TypeError: the program is instantiated already: a debugger runs one instance of it
fetch of "/other.wasm": a host without files and network has the program's module only the module "./nothing.mjs" cannot be read
there is no module "node:fs": a host without files and network has those in the directory of the glue only the module "../up.mjs" cannot be read
`,
	},
}

// TestStringsInBoth compares the builtins with what JavaScript does, with strings that JavaScript has
// made and looks at.
func TestStringsInBoth(t *testing.T) {
	text := strings.ReplaceAll(builtins, `(import "'" "abc" (global $abc (ref extern)))`, `(global $abc externref (ref.null extern))`)
	text = strings.ReplaceAll(text, `(import "'" "héllo 😀" (global $wide externref))`, `(global $wide externref (ref.null extern))`)
	r := glue(t, "const imports = {};"+load+`
		const alphabet = ['a', 'b', 'é', '\u{1F600}', '\uD83D', '\uDE00', '\uFFFF', '\0', '日'];
		let seed = 1;
		const next = n => (seed = seed * 1103515245 + 12345 & 0x7fffffff) % n;
		const make = () => Array.from({ length: next(30) }, () => alphabet[next(alphabet.length)]).join('');
		const outcome = f => { try { return f() } catch (x) { return x instanceof WebAssembly.RuntimeError ? 'trap' : x } };
		let n = 0;
		const same = (what, a, b) => { n++; if (!Object.is(a, b)) throw new Error(what + ': ' + JSON.stringify([a, b])) };
		const trap = () => { throw new WebAssembly.RuntimeError() };
		for (let i = 0; i < 2000; i++) {
			const a = make(), b = make(), k = next(34), m = next(34);
			same('test', e.test(a), 1); same('cast', e.cast(a), a); same('length', e.length(a), a.length);
			same('concat', e.concat(a, b), a + b);
			same('long concat', e.concat(e.concat(a + b, b), a), a + b + b + a);
			same('equals', e.equals(a, b), +(a === b)); same('equals itself', e.equals(a, a + ''), 1);
			same('compare', e.compare(a, b), a < b ? -1 : +(a > b));
			same('charCodeAt', outcome(() => e.charCodeAt(a, k)), outcome(() => k < a.length ? a.charCodeAt(k) : trap()));
			same('codePointAt', outcome(() => e.codePointAt(a, k)), outcome(() => k < a.length ? a.codePointAt(k) : trap()));
			same('substring', e.substring(a, k, m), k > m || k > a.length ? '' : a.substring(k, m));
			same('fromCharCode', e.fromCharCode(seed), String.fromCharCode(seed));
			const p = seed % 0x120000;
			same('fromCodePoint', outcome(() => e.fromCodePoint(p)), p > 0x10FFFF ? 'trap' : String.fromCodePoint(p));
		}
		for (const x of [undefined, true, false, 13.37, -0, 2 ** 31, NaN, 37n, {}, ['x'], new String('s'), Symbol('s'), () => 1]) {
			same('test', e.test(x), 0);
			for (const f of [e.cast, e.length, x => e.concat(x, 'a'), x => e.concat('a', x), x => e.equals('a', x), x => e.equals(x, null),
				x => e.compare(x, 'a'), x => e.charCodeAt(x, 0), x => e.substring(x, 0, 0)]) same('bad', outcome(() => f(x)), 'trap');
		}
		same('null', e.equals(null, null), 1); same('null', e.equals(null, ''), 0); same('null', e.test(null), 0);
		console.log(n);`, text, js.Options{})
	if r.fault != nil || r.out != "26133\n" {
		t.Error(r.out, r.fault)
	}
}

func TestScripts(t *testing.T) {
	for _, c := range scripts {
		t.Run(c.name, func(t *testing.T) {
			r := glue(t, c.before+load+c.after, c.text, js.Options{})
			if r.fault != nil {
				t.Error(r.fault)
			}
			got, want := strings.Split(r.out, "\n"), strings.Split(c.want, "\n")
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("it prints\n%s\nwant\n%s", r.out, c.want)
				}
			}
		})
	}
}

// TestUncaught ends programs by what nothing catches.
func TestUncaught(t *testing.T) {
	for _, c := range []struct{ name, before, text, after, want string }{
		{"while it is evaluated", "", "", "throw new TypeError('bad')", "uncaught exception of JavaScript: TypeError: bad\n    at"},
		{"a syntax error", "", "", "let = ;", "uncaught exception of JavaScript: SyntaxError: "},
		{"in a timer", "const imports = {};", "", "setTimeout(() => { throw new RangeError('late') }, 5)", "RangeError: late"},
		{"a value", "const imports = {};", "", "setTimeout(() => { throw { code: 7 } })", "JavaScript: { code: 7 }"},
		{"a rejection", "const imports = {};", "", "Promise.reject(new Error('lost'))", "Error: lost"},
		{"a rejection that is handled late", "const imports = {};", "",
			"const p = Promise.reject(1); await null; p.catch(() => {}); setTimeout(() => { throw 'end' })", "JavaScript: 'end'"},
		{"a microtask", "const imports = {};", "", "queueMicrotask(() => { throw new Error('micro') })", "Error: micro"},
		{"a trap", "const imports = {};", `(func (export "f") (unreachable))`, "setTimeout(e.f)", "unreachable"},
		{"an exception of the program", "const imports = {};", `(tag $t (param i32)) (func (export "f") (throw $t (i32.const 1)))`,
			"setTimeout(e.f)", "uncaught exception $t"},
		{"no instance", "", "", "globalThis.x = 1; const load = 0; export const nothing = 0; export const memory = 1; await 1; throw 'never mind'",
			"JavaScript: 'never mind'"},
		{"an import of another type", "const imports = { env: { f: 5 } };", `(import "env" "f" (func))`, "", "a value of type number is no function"},
		{"an import that is not there", "const imports = {};", `(import "env" "f" (func))`, "", `unknown import: "env" "f"`},
		{"imports that are no object", "const imports = 7;", `(import "env" "f" (func))`, "", "the imports must be an object"},
		{"a result that cannot be converted", "const imports = { env: { f: () => Symbol() } };",
			`(import "env" "f" (func $f (result i32))) (func (export "g") (drop (call $f)))`, "setTimeout(e.g)", "TypeError: "},
		{"another result count", "const imports = { env: { f: () => [1] } };",
			`(import "env" "f" (func $f (result i32 i32))) (func (export "g") (drop (call $f)) (drop))`, "setTimeout(e.g)",
			"the function returns 1 values, not 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := c.before + load + c.after
			if c.before == "" {
				source = c.after
			}
			r := glue(t, source, c.text, js.Options{})
			if r.fault == nil {
				t.Fatal("no error: ", r.out)
			}
			text := r.fault.Error()
			if more, ok := r.host.Describe(r.fault); ok {
				text += more
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("%s, want %s", text, c.want)
			}
		})
	}
}

// TestBounds runs JavaScript that would not end, or take all memory.
func TestBounds(t *testing.T) {
	const forever = "for (;;) ;"
	for _, c := range []struct {
		name, source string
		end          func(m *vm.Machine) // ends it; nil: it ends by itself
		o            vm.Options
		want         string
	}{
		{"a loop, interrupted", forever, func(m *vm.Machine) { m.Terminate() }, vm.Options{}, "interrupted"},
		{"a loop in a try", "for (;;) try { " + forever + " } catch {} finally { for (;;) ; }", func(m *vm.Machine) { m.Terminate() },
			vm.Options{}, "interrupted"},
		{"microtasks", "const f = () => Promise.resolve().then(f); await f()", func(m *vm.Machine) { m.Terminate() }, vm.Options{}, "interrupted"},
		{"fuel", forever, nil, vm.Options{Fuel: 10_000}, "out of fuel"},
		{"memory", "const a = []; for (;;) a.push(new Array(100000).fill(1))", nil, vm.Options{}, "out of memory"},
		{"a buffer", "new ArrayBuffer(2 ** 40)", nil, vm.Options{}, "RangeError"},
		{"a string", "let s = 'x'; for (;;) s += s", nil, vm.Options{}, "JavaScript: "},
		{"recursion", "const f = () => f(); f()", nil, vm.Options{}, "stack"},
		{"a regular expression", "/^(a+)+$/.test('a'.repeat(64) + 'b')", func(m *vm.Machine) { m.Terminate() }, vm.Options{}, "interrupted"},
		{"sorting", "const a = Array.from({ length: 1e6 }, (_, i) => -i); for (;;) a.sort((x, y) => x - y)",
			func(m *vm.Machine) { m.Terminate() }, vm.Options{}, "interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "loop.mjs")
			if err := os.WriteFile(path, []byte(c.source), 0o666); err != nil {
				t.Fatal(err)
			}
			m, loop := vm.New(c.o), &host.Loop{}
			h, err := js.New(m, loop, js.Options{Glue: path, Memory: 16 << 20})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if c.end != nil {
				stop := time.AfterFunc(20*time.Millisecond, func() { c.end(m) })
				defer stop.Stop()
			}
			_, err = h.Run(ctx, lower(t, ""), nil, func(vm.Imports) (*vm.Instance, error) { return nil, errors.New("none") })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if ctx.Err() != nil {
				t.Error("it does not end")
			}
			if c.want == "interrupted" && !host.Fatal(err) {
				t.Errorf("%v does not end the program", err)
			}
		})
	}
}

// TestSame runs a program twice: chance and time are the same. With another seed they are others.
func TestSame(t *testing.T) {
	const source = `console.log(Math.random(), Math.random(), Date.now(), performance.now(), crypto.randomUUID());
		export const importObject = {};`
	first := glue(t, source, "", js.Options{})
	if again := glue(t, source, "", js.Options{}); first.fault != nil || again.out != first.out {
		t.Errorf("%v: %s, then %s", first.fault, first.out, again.out)
	}
	if other := glue(t, source, "", js.Options{Seed: 1, Start: time.Unix(5, 0)}); other.out == first.out ||
		!strings.Contains(other.out, " 5000 0 ") {
		t.Error(other.out)
	}
}

// TestDropped passes many objects through the program and drops them: neither side keeps them.
func TestDropped(t *testing.T) {
	r := glue(t, "const imports = {};"+load+`
		const refs = [];
		for (let i = 0; i < 30000; i++) { e.keep({ i, data: new Array(20).fill(i) }); e.make(); }
		console.log(e.kept().i);`,
		`(type $s (struct (field i32))) (global $g (mut externref) (ref.null extern))
		(func (export "keep") (param externref) (global.set $g (local.get 0)))
		(func (export "kept") (result externref) (global.get $g))
		(func (export "make") (result (ref $s)) (struct.new $s (i32.const 1)))`, js.Options{Memory: 5 << 20})
	if r.fault != nil || r.out != "29999\n" {
		t.Error(r.out, r.fault)
	}
}

// TestAssemblyScript calls exports through the bindings of AssemblyScript. They print what node
// prints.
func TestAssemblyScript(t *testing.T) {
	r := runWith(t, "testdata/assemblyscript/notes.wasm", js.Options{Glue: "testdata/assemblyscript/driver.mjs"})
	want, err := os.ReadFile("testdata/assemblyscript/driver.out")
	if err != nil || r.fault != nil {
		t.Fatal(err, r.fault)
	}
	if r.out != string(want) {
		t.Errorf("it prints\n%s\nwant\n%s", r.out, want)
	}
}

// TestBindgen runs glue as wasm-bindgen emits it: its default export is called.
func TestBindgen(t *testing.T) {
	text, err := os.ReadFile("testdata/bindgen/hello.wat")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("testdata/bindgen/hello.js")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b, err := binary.Encode(lower(t, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(text)), "(module"), ")")))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"hello_bg.wasm": b, "hello.js": source} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, filepath.Join(dir, "hello_bg.wasm"))
	const want = "start\ndesserts 2 5 [object Counter]\ntimer\n"
	if r.out != want {
		t.Errorf("it prints\n%s\nwant\n%s", r.out, want)
	}
	if r.fault == nil || !strings.Contains(r.fault.Error(), "Error: timer") || r.now != 20 {
		t.Error(r.fault, r.now)
	}
}

// TestWeak keeps something for each of many objects, which leads back to the object: neither is kept.
func TestWeak(t *testing.T) {
	r := glue(t, "const imports = {};"+load+`
		const m = new WeakMap(), s = Symbol('s'), o = {}, frozen = Object.freeze({}), p = new Proxy({}, {});
		for (let i = 0; i < 20000; i++) { const x = e.make(); m.set(x, () => x); const y = { i }; m.set(y, [y]); }
		const kept = e.kept();
		m.set(kept, 'kept').set(s, 'symbol').set(o, 'object').set(frozen, 'frozen').set(p, 'proxy').set(Math.max, 'function');
		console.log(m.get(e.kept()), m.get(s), m.get(o), m.get(frozen), m.get(p), m.get(Math.max), m.has({}), m.get(1), m.has(null));
		console.log(m.delete(o), m.has(o), m.delete(o), m.get(o), m.set(o, 5).get(o), new WeakMap([[o, 6]]).get(o), m.get(o));
		console.log(caught(() => m.set(1, 2)), caught(() => WeakMap.prototype.get.call({}, o)).split(':')[0], m, Object.keys(o), Reflect.ownKeys(p).length);`,
		`(type $s (struct (field i32))) (global $g (ref $s) (struct.new $s (i32.const 7)))
		(func (export "make") (result (ref $s)) (struct.new $s (i32.const 1)))
		(func (export "kept") (result (ref $s)) (global.get $g))`, js.Options{Memory: 5 << 20})
	const want = `kept symbol object frozen proxy function false undefined false
true false false undefined 5 6 5
TypeError: Invalid value used as weak map key TypeError WeakMap { <items unknown> } [] 0
`
	if r.fault != nil || r.out != want {
		t.Error(r.out, r.fault)
	}
}
