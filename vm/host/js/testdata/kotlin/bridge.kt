@file:OptIn(ExperimentalWasmJsInterop::class)
import kotlin.js.*
import kotlinx.coroutines.*
import kotlinx.coroutines.channels.*
import kotlinx.coroutines.flow.*

fun add(a: Int, b: Int): Int = js("a + b")
fun describe(x: JsAny): String = js("typeof x + ':' + String(x)")
fun thrower(msg: String): Unit = js("{ throw new TypeError(msg) }")
fun callBack(f: (Int) -> Int): Int = js("[1, 2, 3].map(x => f(x)).reduce((a, b) => a + b, 0)")
fun callUnit(f: () -> Unit): Unit = js("f()")
fun tryCall(f: () -> Unit): String = js("{ try { f(); return 'no exception' } catch (e) { return (e instanceof Error) + ' ' + e.message } finally { console.log('finally') } }")
fun makeObject(): JsAny = js("({ a: 1, b: [1, 2, 3], c: { d: 4 } })")
fun logIt(x: JsAny?): Unit = js("console.log(x, [1.5, 2n, null, undefined], new Map([[1, { z: 1 }]]), -0)")
fun later(ms: Int, f: () -> Unit): Unit = js("setTimeout(f, ms)")
fun promiseOf(ms: Int, v: Int): Promise<JsNumber> = js("new Promise(r => setTimeout(() => r(v), ms))")
fun failing(ms: Int): Promise<JsNumber> = js("new Promise((_, r) => setTimeout(() => r(new RangeError('late')), ms))")
fun modern(s: String): String = js("""{
  class P { #n = 1; static k = 2; get n() { return this.#n } }
  const o = { x: null, ...{ y: 2n ** 70n } };
  const g = function* () { yield* [1, 2, 3] };
  const m = /(?<year>\d{4})-(?<month>\d\d)/u.exec('2026-11');
  return `${'$'}{s}|${'$'}{new P().n + P.k}|${'$'}{o?.x ?? 'none'}|${'$'}{o.y}|${'$'}{[...g()]}|${'$'}{m.groups.year}`;
}""")
fun bigger(a: Long): Long = js("a * 2n + 1n")
fun half(a: Double): Double = js("a / 2")
fun hostNow(): Double = js("performance.now()")
fun sameTwice(a: JsAny, b: JsAny): Boolean = js("a === b")
external class Date(s: String) : JsAny { fun getUTCFullYear(): Int; fun toISOString(): String }
external interface Shape : JsAny { var width: Int; val name: String }
fun shape(): Shape = js("({ width: 3, get name() { return 'shape ' + this.width } })")

class Box(val v: Int)
class Boom(message: String) : Exception(message)

suspend fun <T : JsAny?> Promise<T>.get(): T = await()

fun main() {
    println("add ${add(2, 40)} ${bigger(1L shl 62)} ${half(5.0)}")
    println(describe(makeObject()) + " " + describe("text".toJsString()) + " " + describe(7.toJsNumber()))
    println(modern("héllo \uD83D\uDE00"))
    println("callback ${callBack { it * it }}")
    try { thrower("bad thing") } catch (e: Throwable) { println("caught ${e.message}") }
    try { callUnit { throw Boom("through JavaScript") } } catch (e: Boom) { println("back: ${e.message}") }
    println(tryCall { throw Boom("seen by JavaScript") })
    println(tryCall { })
    try { callUnit { thrower("both ways") } } catch (e: Throwable) { println("twice: ${e.message}") }
    logIt(makeObject())
    val b = Box(5).toJsReference()
    println("reference ${b.get().v} ${sameTwice(b, b)} ${sameTwice(b, Box(5).toJsReference())}")
    val d = Date("2020-02-29T12:00:00Z")
    println("${d.getUTCFullYear()} ${d.toISOString()}")
    val s = shape(); s.width += 4; println(s.name)
    try { listOf(1)[3] } catch (e: IndexOutOfBoundsException) { println("index: ${e.message}") }
    try { (s as Any) as String } catch (e: ClassCastException) { println("cast") }
    val text = StringBuilder()
    for (i in 0 until 1000) text.append(i)
    println("${text.length} ${text.toString().hashCode()}")
    later(30) { println("timer") }
    MainScope().launch {
        val job = launch { repeat(3) { println("tick $it"); delay(20) } }
        val x = async { delay(35); 20 }
        val y = async { delay(15); 22 }
        println("sum ${x.await() + y.await()}")
        println("promise ${promiseOf(10, 9).get<JsNumber>().toInt()}")
        try { failing(5).get<JsNumber>() } catch (e: Throwable) { println("rejected: ${e.message}") }
        job.join()
        val c = Channel<Int>(2)
        launch { for (i in 1..4) { c.send(i); println("sent $i") }; c.close() }
        for (v in c) println("received $v")
        flow { for (i in 1..3) { emit(i); delay(5) } }.map { it * 10 }.filter { it != 20 }.collect { println("flow $it") }
        println(withTimeoutOrNull(10) { delay(100); 1 } ?: "timed out")
        try { coroutineScope { launch { delay(1); throw Boom("in a child") }; delay(50) } } catch (e: Boom) { println("scope: ${e.message}") }
        val m = flowOf("a", "b").onEach { delay(2) }.toList()
        println(m)
        withContext(Dispatchers.Default) { println("default") }
        println("end")
    }
    println("main ends")
}
