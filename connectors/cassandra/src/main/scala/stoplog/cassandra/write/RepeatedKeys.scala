// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import scala.collection.mutable

/** The hash of a row's key, or of other values. */
private[cassandra] final case class KeyPrint(first: Long, second: Long)

/** The keys of the rows of a task that no node may have acknowledged yet.
  *
  * With `writeTimestamp=server`, a node assigns the time of a row when the row arrives. Rows of one request
  * have the same time, and requests in flight arrive in any order. Of two cells with the same time Cassandra
  * keeps the larger value. Therefore a row MUST NOT be sent before all earlier rows of its key are
  * acknowledged.
  *
  * @param mostKeys the number of keys after which the task waits for all acknowledgements
  */
private[cassandra] final class RepeatedKeys(mostKeys: Int = RepeatedKeys.MostKeys) {
  private val waiting = mutable.HashSet.empty[KeyPrint]

  /** Adds the key of a row.
    *
    * @param awaitAll sends all earlier rows, and waits until all of them are acknowledged
    */
  def add(key: KeyPrint)(awaitAll: => Unit): Unit =
    if (waiting.size >= mostKeys || !waiting.add(key)) {
      awaitAll
      waiting.clear()
      waiting.add(key)
      ()
    }
}

private object RepeatedKeys {
  final val MostKeys = 20000
}

/** Finds rows of a task with the same key, the same time and other values. Of such rows Cassandra keeps the
  * larger value of each column, even from different rows. A repetition of the same row is harmless.
  *
  * Stores the last `mostRows` to 2 × `mostRows` rows.
  */
private[cassandra] final class TimeTies(mostRows: Int = TimeTies.MostRows) {
  private var recent = mutable.LongMap.empty[Long]
  private var older  = mutable.LongMap.empty[Long]

  /** Adds a row, and returns whether an earlier row has other values.
    *
    * @param all the hash of all values
    */
  def isTie(key: KeyHash, micros: Long, all: KeyPrint): Boolean = {
    val id    = (key.first ^ (key.second * 31)) * 0x9e3779b97f4a7c15L + micros
    val known = recent.get(id).orElse(older.get(id))
    if (known.isEmpty) {
      if (recent.size >= mostRows) {
        older = recent
        recent = mutable.LongMap.empty[Long]
      }
      recent.update(id, all.first)
    }
    known.exists(_ != all.first)
  }
}

private object TimeTies {
  final val MostRows = 500000
}
