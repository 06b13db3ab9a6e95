// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

/** Which tokens go together, and into how many splits they are cut. */
private[cassandra] final case class SplitPlan(pieces: Vector[SplitPlan.Piece]) {
  def splits: Long = pieces.map(_.count.toLong).sum
}

private[cassandra] object SplitPlan {

  /** @param bytes of the whole piece; 0 if nobody knows
    * @param count into how many splits it is cut
    */
  final case class Piece(span: TokenSpan, bytes: Long, hosts: Vector[String], count: Int) {
    def split(part: Int): TokenSplit = TokenSplit(span.piece(part, count), bytes / count, hosts)
  }

  /** Tokens that the same nodes have. */
  final case class Owned(span: TokenSpan, hosts: Vector[String])

  /** @param ring          all tokens, by who has them
    * @param tableBytes    as the nodes estimate them; none if they know nothing of the table, as of one that is small, or
    *                      that was written in the last minutes
    * @param maxSplitBytes how large a split is to be
    * @param tasks         how many can run at a time
    */
  def of(ring: Vector[Owned], tableBytes: Option[Long], maxSplitBytes: Long, tasks: Int): SplitPlan = {
    val bytes = tableBytes.getOrElse(0L)
    val count = tableBytes.fold(tasks.toLong)(splitCount(_, maxSplitBytes, tasks))
    if (count < ring.size || ring.isEmpty) {
      // The nodes' own ranges would make more splits than the table is worth. Then any node gathers them.
      SplitPlan(Vector(Piece(TokenSpan.Ring, bytes, Vector.empty, count.max(1).toInt)))
    } else SplitPlan(ring.sortBy(_.hosts.headOption).map(piece(_, bytes, count)))
  }

  /** As many as the asked size makes of the table, but as many as can run at a time where the table is worth it. Where
    * that is very many, it grows slower and slower: a limit would be met one day by a table that grows, and then a query
    * would fail, or its splits would jump in size.
    */
  private[read] def splitCount(tableBytes: Long, maxSplitBytes: Long, tasks: Int): Long = {
    val asked = tableBytes / maxSplitBytes + (if (tableBytes % maxSplitBytes > 0) 1 else 0)
    val many  = ManyPerTask * tasks.max(1)
    if (asked <= many) asked.max(tasks.toLong.min(tableBytes / WorthATask)).max(1)
    else (many * (1 + math.log(asked.toDouble / many))).toLong.min(MostSplits)
  }

  private final val WorthATask = 1L << 20

  private final val ManyPerTask = 200L

  // Spark's driver holds them all.
  private final val MostSplits = 1000000L

  private def piece(owned: Owned, tableBytes: Long, splits: Long): Piece = {
    def share(of: Long) = (BigInt(of) * owned.span.width / TokenSpan.Ring.width).toLong
    Piece(owned.span, share(tableBytes), owned.hosts, share(splits).max(1).min(owned.span.mostPieces).toInt)
  }
}

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
