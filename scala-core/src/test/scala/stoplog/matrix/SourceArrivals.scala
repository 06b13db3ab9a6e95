// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** The files of a query: one large, many small, some with old times, some under names that others had, and some that
  * somebody else deletes.
  */
final class SourceArrivals(place: SourcePlace, mode: SourceMode) {
  private var arrived = 0L // also the time of the next file: the order does not depend on the machine
  private var turn    = 0
  private var fed     = Map.empty[String, String] // the last content under each name
  private var all     = Vector.empty[String]
  private var absent  = Map.empty[String, Int]    // and for how many turns
  private var again   = if (mode == SourceMode.Archive) Vector.empty else SourceArrivals.ComeAgain
  private var deleted = Set.empty[String]

  /** All lines that ever arrived. */
  def lines: Vector[String] = synchronized(all)

  def isOver: Boolean = synchronized(turn >= SourceArrivals.Turns && again.isEmpty)

  /** What comes before the next micro-batch is planned.
    *
    * @param read what the query has put out
    */
  def next(read: Vector[String]): Unit = synchronized {
    turn += 1
    require(turn < SourceArrivals.TurnsAtMost, "it never ends")
    if (turn == 1) arrive("large", 23)
    arrive(s"dir${turn % 2}/f$turn", turn % 4)
    if (turn % 3 == 0) arrive(s"dir1/empty$turn", 0)
    if (mode == SourceMode.Keep) deleteSome(read.toSet)
    for (name <- again.find(absent.get(_).exists(_ >= SourceArrivals.TurnsAbsent))) {
      again = again.filterNot(_ == name)
      arrive(name, 5)
    }
  }

  /** A micro-batch is committed, and what came before it cleaned. */
  def turnDone(): Unit = synchronized {
    val there = place.unread().keySet
    absent = fed.keys.filterNot(there).map(name => name -> (absent.getOrElse(name, 0) + 1)).toMap
  }

  /** A process begins: what it has seen to be absent counts. */
  def restarted(): Unit = synchronized { absent = Map.empty }

  /** What is wrong with the files themselves, at the end. */
  def lost(): Vector[String] = synchronized {
    val unread   = place.unread()
    val archived = place.archived()
    mode match {
      case SourceMode.Keep =>
        fed.toVector.collect {
          case (name, content) if !deleted(name) && !unread.get(name).contains(content) =>
            s"$name is not there"
        }
      case SourceMode.Delete =>
        Option.when(unread.size > SourceArrivals.LeftAtMost)(s"left: ${unread.keys}").toVector
      case SourceMode.Archive =>
        val kept = (unread.toVector ++ archived).flatMap(_._2.linesIterator)
        Vector(
          all.diff(kept).map(line => s"$line is neither there nor in the archive"),
          kept.diff(all).map(line => s"$line is there and in the archive")
        ).flatten
    }
  }

  private def arrive(name: String, count: Int): Unit = {
    arrived += 1
    val old            = if (turn % 2 == 0) SourceArrivals.MonthMillis else 0L
    val modifiedMillis = SourceArrivals.BeginMillis + arrived * 1000 - old
    val lines          = Vector.tabulate(count)(n => s"$name-$turn-$n")
    all ++= lines
    fed += name -> lines.map(_ + "\n").mkString
    absent -= name
    deleted -= name
    place.arrive(name, fed(name), modifiedMillis)
  }

  /** Files that have been read, of others' own accord. */
  private def deleteSome(read: Set[String]): Unit =
    for {
      name <- again.filterNot(deleted)
      text <- fed.get(name) if text.linesIterator.forall(read) && turn > 3
    } {
      place.delete(name)
      deleted += name
    }
}

object SourceArrivals {
  final val Turns       = 9
  final val TurnsAtMost = 60
  final val BeginMillis = 1767225600000L
  final val MonthMillis = 30L * 24 * 60 * 60 * 1000
  final val TurnsAbsent = 3
  final val LeftAtMost  = 3

  /** The names that come a second time. An archive has no room for them. */
  val ComeAgain: Vector[String] = Vector("dir1/f1", "dir0/f2")
}
