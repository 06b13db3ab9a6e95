package stoplog.spark

import org.apache.spark.sql.types.StructType

import stoplog.commit.{Republish, SinkIdentity}
import stoplog.log.LogRecord
import stoplog.options.SinkOptions

/** A query that was started and has not had an epoch yet. With no data it never will, and Spark will tell its sink
  * nothing at all; what an earlier run left behind is looked after here.
  *
  * @param newest the log as it was at the start
  */
private[spark] final class IdleQuery(
    queryId: String,
    newest: LogRecord,
    options: SinkOptions,
    storage: SinkStorage,
    rows: StructType
) {

  /** Protocol step 1: makes visible what the last run had decided. Claims nothing, for the start may be refused. */
  def republish(): Unit = Republish(
    newest,
    storage.log,
    storage.parts,
    SinkIdentity(storage.path, storage.sinkId, queryId),
    SinkRun.onLost(options),
    SinkRun.tools
  )

  /** Does what the end of the last run would have done, if that one was to end by itself and was killed before. */
  def end(exception: Option[String]): Unit = {
    val trigger =
      if (newest.state.settings.get(QueryTrigger.Noted).contains(QueryTrigger.Finite.word))
        QueryTrigger.Finite
      else QueryTrigger.Unending
    new SinkRun(queryId, trigger, SinkSpec.of(options, rows, storage), options).endIdle(newest.seq, exception)
  }
}

private[spark] object IdleQuery {

  /** `None` when there is no earlier run to look after. */
  def of(options: SinkOptions, storage: SinkStorage, rows: StructType): Option[(String, IdleQuery)] = for {
    queryId <- KnownCheckpoint.queryId(options)
    newest  <- storage.log.newest() if newest.state.queryId == queryId
  } yield queryId -> new IdleQuery(queryId, newest, options, storage, rows)
}
