// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

/** Brings small splits of the same nodes together in a task. */
private[cassandra] object SplitGroups {

  /** In their order; splits of unknown size stay alone.
    *
    * @param maxBytes of a task
    */
  def of(splits: Vector[CassandraSplit], maxBytes: Long): Vector[Vector[CassandraSplit]] = {
    val groups = Vector.newBuilder[Vector[CassandraSplit]]
    var group  = Vector.empty[CassandraSplit]
    splits.foreach { split =>
      if (group.nonEmpty && !fits(group, split, maxBytes)) {
        groups += group
        group = Vector.empty
      }
      group :+= split
    }
    if (group.nonEmpty) groups += group
    groups.result()
  }

  def hosts(split: CassandraSplit): Vector[String] = split match {
    case tokens: TokenSplit => tokens.hosts
    case _: KeySplit        => Vector.empty
  }

  private def fits(group: Vector[CassandraSplit], split: CassandraSplit, maxBytes: Long): Boolean =
    split.size.bytes > 0 && hosts(split) == hosts(group.head) &&
      group.map(_.size.bytes).sum + split.size.bytes <= maxBytes
}
