// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{LogRecord, QueryEpoch, RecordKind, SinkState}

/** Counts the rows of a log that a query would write again. Pure.
  *
  * The log keeps about a hundred records and no total, so each count is a lower bound.
  */
private[stoplog] object GoingBack {

  /** The rows that a query would write again. */
  sealed trait Scope extends Product with Serializable
  object Scope {

    /** The rows of a query's own epochs, starting with its next batch. */
    final case class Own(queryId: String, nextBatch: Long) extends Scope

    /** All rows: another query numbers its batches differently. */
    case object All extends Scope
  }

  /** @param rows   the minimum number of rows
    * @param files  the minimum number of visible files
    * @param epochs the first and the last epoch; `None` if no epoch would be repeated
    */
  final case class AtLeast(rows: Long, files: Long, epochs: Option[(Long, Long)]) {

    /** Returns a phrase for an error message or a plan. */
    def describe: String = {
      val which = epochs.fold("no epoch") { case (first, last) =>
        if (first == last) s"epoch $first" else s"epochs $first to $last"
      }
      s"$which, at least ${number(rows, "row")} (${number(files, "visible file")})"
    }

    private def number(n: Long, of: String): String = if (n == 1) s"$n $of" else s"$n ${of}s"
  }

  /** @param kept the retained records of a log, oldest first */
  def of(kept: Vector[LogRecord], scope: Scope): AtLeast = {
    val records = sinceReset(kept)
    val steps   = (None +: records.map(Some(_))).zip(records)
    val again   = scope match {
      case Scope.All                     => steps
      case Scope.Own(queryId, nextBatch) =>
        val passed = records.lastIndexWhere(record =>
          record.state.queryId == queryId && record.state.lastEpoch.forall(_ < nextBatch)
        )
        steps.drop(passed + 1).filter { case (_, record) => record.state.queryId == queryId }
    }
    val added = again.map { case (before, record) => addedBy(before, record, scope) }
    AtLeast(
      added.map(_._1).sum.max(0L),
      added.map(_._2).sum.max(0L),
      epochs(records, again.map(_._2), scope)
    )
  }

  /** Returns whether a log has no rows; `false` unless the retained records start at record 0 or a reset. */
  def hasNoRows(kept: Vector[LogRecord]): Boolean =
    kept.headOption.forall(oldest => oldest.seq == 0 || oldest.state.queryId == SinkState.NextQuery) &&
      of(kept, Scope.All).rows == 0

  /** Returns the newest epoch of a query, if a retained record contains the epoch and no reset followed. */
  def leftBy(kept: Vector[LogRecord], queryId: String): Option[QueryEpoch] =
    sinceReset(kept).map(_.state).findLast(_.queryId == queryId).map(_.newest)

  private def sinceReset(kept: Vector[LogRecord]): Vector[LogRecord] =
    kept.drop(kept.lastIndexWhere(_.state.queryId == SinkState.NextQuery) + 1)

  /** Returns the rows and the visible files added by a record. The oldest retained record has no predecessor:
    * the rows of its open parts may belong to epochs already passed by a query.
    */
  private def addedBy(before: Option[LogRecord], record: LogRecord, scope: Scope): (Long, Long) = {
    val published = record.publish.filter(_.sizeBytes > 0)
    val files     = published.size.toLong - record.replace.size
    val rows      = record.publish.map(_.records).sum - record.replace.map(_.records).sum
    val open      = rowsOf(record)
    before match {
      case Some(previous)                                => (rows + open - rowsOf(previous), files)
      case None if scope == Scope.All || record.seq == 0 => (rows + open, files)
      case None                                          => (0L, 0L)
    }
  }

  private def rowsOf(record: LogRecord): Long = record.state.open.map(_.records).sum

  private def epochs(
      records: Vector[LogRecord],
      again: Vector[LogRecord],
      scope: Scope
  ): Option[(Long, Long)] = scope match {
    case Scope.Own(queryId, nextBatch) =>
      records
        .map(_.state)
        .findLast(_.queryId == queryId)
        .flatMap(_.lastEpoch)
        .filter(_ >= nextBatch)
        .map(nextBatch -> _)
    case Scope.All =>
      val numbers = again.map(_.kind).collect { case RecordKind.Epoch(epoch) => epoch } ++
        records.lastOption.flatMap(_.state.lastEpoch)
      Option.when(numbers.nonEmpty)((numbers.min, numbers.max))
  }
}
