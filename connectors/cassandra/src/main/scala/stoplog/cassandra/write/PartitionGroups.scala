// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.nio.ByteBuffer
import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.collection.immutable.ArraySeq
import scala.collection.mutable

import com.datastax.oss.driver.api.core.cql.BoundStatement

/** Brings rows of one partition together, as far as they are near each other: a request for all of them costs the node
  * little more than one for a single row.
  *
  * @param maxRows  of a group
  * @param maxBytes of the values of a group, from which on it goes
  * @param send     takes a group
  */
private[cassandra] final class PartitionGroups(
    maxRows: Int,
    maxBytes: Long,
    send: Seq[BoundStatement] => Unit
) {
  private val open = new JLinkedHashMap[ByteBuffer, Group]
  private var held = 0

  def add(row: Bound): Unit = {
    val key = if (maxRows == 1) null else row.statement.getRoutingKey
    if (key == null) send(ArraySeq(row.statement))
    else {
      val group = open.computeIfAbsent(key, _ => new Group)
      group.rows += row.statement
      group.bytes += row.bytes
      held += 1
      if (group.rows.size >= maxRows || group.bytes >= maxBytes) {
        open.remove(key)
        close(group)
      } else if (held >= PartitionGroups.HeldRows) closeOldest()
    }
  }

  /** Sends all that is held. */
  def flush(): Unit = {
    open.values.forEach(close(_))
    open.clear()
  }

  private def closeOldest(): Unit = {
    val oldest = open.entrySet().iterator()
    val group  = oldest.next().getValue
    oldest.remove()
    close(group)
  }

  private def close(group: Group): Unit = {
    held -= group.rows.size
    send(group.rows.toSeq)
  }

  private final class Group {
    val rows  = mutable.ArrayBuffer.empty[BoundStatement]
    var bytes = 0L
  }
}

private[cassandra] object PartitionGroups {

  /** How many rows wait for others of their partitions. */
  final val HeldRows = 1000
}
