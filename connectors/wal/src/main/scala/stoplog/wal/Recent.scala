// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{LinkedHashMap => JLinkedHashMap, Map => JMap}

/** What was made last, for senders that must ask a system about its table before they can write to it, and are opened for each
  * chunk. Used by several threads.
  *
  * @param limit how many are kept
  */
private[stoplog] final class Recent[K, V](limit: Int) {
  private val kept = new JLinkedHashMap[K, V](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[K, V]): Boolean = size > limit
  }

  /** The one that is kept, or else a new one. Two threads may make it at once. */
  def of(key: K)(make: => V): V = synchronized(Option(kept.get(key))).getOrElse {
    val made = make
    synchronized(kept.put(key, made))
    made
  }

  /** It may be out of date. */
  def forget(key: K): Unit = synchronized {
    kept.remove(key)
    ()
  }
}
