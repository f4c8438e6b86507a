// Coroutines of the standard library alone: a sequence, and two coroutines that a small loop runs in turn.
import kotlin.coroutines.*

sealed class Parcel(val to: String) {
    class Letter(to: String, val pages: Int) : Parcel(to)
    class Box(to: String, val weight: Double, val inside: List<Parcel>) : Parcel(to)
    object Lost : Parcel("nobody")
}

data class Stop(val name: String, var parcels: Int, val left: Int?)

// A sequence: each yield suspends it until the next element is asked for.
fun numbers(limit: Int) = sequence {
    var a = 0
    var b = 1
    while (a < limit) {
        yield(a)
        val next = a + b
        a = b
        b = next
    }
}

class Loop {
    val ready = ArrayDeque<() -> Unit>()
    var turns = 0

    fun start(name: String, body: suspend Loop.() -> Int) {
        val end = Continuation<Int>(EmptyCoroutineContext) { result -> println("$name delivered ${result.getOrThrow()}") }
        ready.addLast { body.startCoroutine(this, end) }
    }

    suspend fun pause() = suspendCoroutine<Unit> { waiting ->
        ready.addLast { waiting.resume(Unit) }
    }

    fun run() {
        while (ready.isNotEmpty()) {
            val next = ready.removeFirst()
            turns++
            next()
        }
    }
}

fun postage(parcel: Parcel): Double = when (parcel) {
    is Parcel.Letter -> 0.8 * parcel.pages
    is Parcel.Box -> parcel.weight + parcel.inside.sumOf { postage(it) }
    Parcel.Lost -> 0.0
}

suspend fun Loop.deliver(van: String, stops: List<Stop>): Int {
    var delivered = 0
    for (stop in stops) {
        println("$van at ${stop.name}: ${stop.parcels}")
        pause()
        delivered += stop.parcels
        stop.parcels = 0
    }
    return delivered
}

fun main() {
    var sum = 0
    for (n in numbers(10)) {
        sum += n
    }
    println("sum $sum")

    val letter = Parcel.Letter("Ada", 3)
    val box = Parcel.Box("Bo", 2.5, listOf(letter, Parcel.Lost))
    val sizes = intArrayOf(1, 2, 3)
    val add = { p: Parcel -> sum += p.to.length }
    add(letter)
    add(box)
    println("postage ${postage(box)}, $sum letters, ${sizes.sum()} sizes")

    val loop = Loop()
    loop.start("red") { deliver("red", listOf(Stop("harbour", 2, null), Stop("market", 3, 7))) }
    loop.start("blue") { deliver("blue", listOf(Stop("school", 5, 1))) }
    loop.run()
    println("${loop.turns} turns")
}
