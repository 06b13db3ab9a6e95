// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import stoplog.thread.Pooled

/** Runs many short calls of a server a few at a time. */
private[hdfs] object Bounded {

  /** As [[Pooled.map]]. */
  def map[A, B](items: Vector[A])(action: A => B): Vector[B] =
    if (items.sizeIs <= 1) items.map(action)
    else Pooled.map(items, Threads, "stoplog-hdfs", _ => ())(action).toVector

  private val Threads = 16
}
