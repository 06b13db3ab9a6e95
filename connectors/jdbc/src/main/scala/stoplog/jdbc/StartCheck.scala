// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** What to do with a sink that another query owns, or that lacks epochs. */
private[jdbc] sealed trait ForeignQuery
private[jdbc] object ForeignQuery {
  case object Refuse extends ForeignQuery

  /** Take the sink over as it stands and go on with this query's epochs. */
  case object Adopt extends ForeignQuery
}

/** Whether a run may go on from what the epochs table says. Pure: it answers with the row as it shall be, or throws. */
private[jdbc] object StartCheck {

  /** Errors: `STOPLOG_JDBC_FOREIGN_QUERY`, `STOPLOG_JDBC_EPOCH_GAP`, `STOPLOG_JDBC_EPOCH_AHEAD`. */
  def check(
      sink: String,
      target: Target,
      found: Option[SinkState],
      owner: SinkOwner,
      onForeign: ForeignQuery,
      batch: Long
  ): SinkState = {
    val fresh = SinkState(owner.queryId, owner.runId, if (batch == 0) None else Some(batch - 1))
    val adopt = onForeign == ForeignQuery.Adopt
    found match {
      case None if batch == 0 || adopt => fresh
      case None                        => throw JdbcErrors.epochGap(sink, target, "none", batch)
      case Some(state) if state.queryId != owner.queryId =>
        if (adopt) fresh else throw JdbcErrors.foreignQuery(sink, target, state.queryId, owner.queryId)
      case Some(state) if adopt && batch > next(state.lastEpoch) => fresh
      case Some(state)                                           =>
        sequence(sink, target, state.lastEpoch, batch)
        state.copy(runId = owner.runId)
    }
  }

  /** Spark repeats the last epoch, or asks for the next. */
  def sequence(sink: String, target: Target, last: Option[Long], batch: Long): Unit = {
    if (batch > next(last))
      throw JdbcErrors.epochGap(sink, target, last.fold("none")(_.toString), batch)
    if (batch < next(last) - 1) throw JdbcErrors.epochAhead(sink, target, next(last) - 1, batch)
  }

  private def next(last: Option[Long]): Long = last.fold(0L)(_ + 1)
}
