// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{LogRecord, QueryEpoch, RecordKind, SinkState}

/** Counts the rows of a log that a query would write again. Pure.
  *
  * The log keeps about a hundred records and no total, so each count is a lower bound.
  */
private[stoplog] object GoingBack {

  /** Which rows would come again. */
  sealed trait Scope extends Product with Serializable
  object Scope {

    /** Those of a query's own epochs, from its next batch on. */
    final case class Own(queryId: String, nextBatch: Long) extends Scope

    /** All of them: another query numbers its batches in its own way. */
    case object All extends Scope
  }

  /** @param rows   at least so many
    * @param files  at least so many, of those that readers see
    * @param epochs the first and the last one; `None` if no epoch would come again
    */
  final case class AtLeast(rows: Long, files: Long, epochs: Option[(Long, Long)]) {

    /** For the text of an error or a plan. */
    def describe: String = {
      val which = epochs.fold("no epoch") { case (first, last) =>
        if (first == last) s"epoch $first" else s"epochs $first to $last"
      }
      s"$which, at least ${number(rows, "row")} (${number(files, "visible file")})"
    }

    private def number(n: Long, of: String): String = if (n == 1) s"$n $of" else s"$n ${of}s"
  }

  /** @param kept the records of a log that are kept, oldest first */
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

  /** Whether a log has no rows, as far back as it goes. */
  def hasNoRows(kept: Vector[LogRecord]): Boolean =
    kept.headOption.forall(oldest => oldest.seq == 0 || oldest.state.queryId == SinkState.NextQuery) &&
      of(kept, Scope.All).rows == 0

  /** The newest epoch of a query, if a kept record has it, and if the log has not begun anew since. */
  def leftBy(kept: Vector[LogRecord], queryId: String): Option[QueryEpoch] =
    sinceReset(kept).map(_.state).findLast(_.queryId == queryId).map(_.newest)

  private def sinceReset(kept: Vector[LogRecord]): Vector[LogRecord] =
    kept.drop(kept.lastIndexWhere(_.state.queryId == SinkState.NextQuery) + 1)

  /** The rows and the visible files that a record adds. The oldest record that is kept has no record before it: the rows
    * of its open parts may be of epochs which a query has passed.
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
