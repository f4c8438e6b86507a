// Coroutines of kotlinx-coroutines: launch and async, a channel between two of them, a flow, and delays.
import kotlinx.coroutines.*
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

data class Reading(val station: String, val hour: Int, val degrees: Int)

class Station(val name: String, val base: Int) {
    private var hour = 0

    suspend fun measure(): Reading {
        delay(100)
        hour++
        return Reading(name, hour, base + hour)
    }
}

fun warmer(readings: List<Reading>): Flow<Reading> = flow {
    var last = -100
    for (reading in readings) {
        if (reading.degrees > last) {
            emit(reading)
            last = reading.degrees
        }
        delay(10)
    }
}

suspend fun average(station: Station, hours: Int): Double {
    var sum = 0.0
    repeat(hours) {
        val reading = station.measure()
        sum += reading.degrees
    }
    return sum / hours
}

suspend fun report() = coroutineScope {
    val north = Station("north", 4)
    val south = Station("south", 11)
    val readings = Channel<Reading>(capacity = 1)
    val seen = mutableListOf<Reading>()

    launch {
        for (station in listOf(north, south, north)) {
            val reading = station.measure()
            println("sent ${reading.station} ${reading.degrees}")
            readings.send(reading)
        }
        readings.close()
    }
    launch {
        for (reading in readings) {
            println("got ${reading.station} at ${reading.hour}")
            seen += reading
        }
    }.join()

    warmer(seen).collect { println("warmer: ${it.degrees}") }

    val first = async { average(north, 2) }
    val second = async { average(south, 3) }
    println("averages ${first.await()} and ${second.await()}")
}

@OptIn(DelicateCoroutinesApi::class)
fun main() {
    GlobalScope.launch(CoroutineName("report")) { report() }
}
