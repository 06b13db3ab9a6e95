// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery

import stoplog.engine.{OutputFiles, Unseen}
import stoplog.error.Errors

/** The sink of a running or ended query. */
private[stoplog] trait SinkOfQuery {

  /** Returns the committed rows that readers do not see yet. */
  def unseen: Unseen
}

private[stoplog] object SinkOfQuery {

  /** Returns the sink of the query. Error: `STOPLOG_NOT_A_STOPLOG_QUERY`. */
  def of(query: StreamingQuery): SinkOfQuery = tableOf(query) match {
    case Some(sink: SinkOfQuery) => sink
    case _ => throw Errors.notAStoplogQuery(Option(query.name).getOrElse(query.runId.toString))
  }

  /** Returns where the query of this thread writes files, if its sink is a file sink. */
  def outputOfThisThread: Option[OutputFiles] = for {
    start <- QueryContext.start()
    query <- QueryContext.running(SparkSession.active, start.queryId)
    files <- tableOf(query).collect { case sink: SinkTable[_] => sink.sink.output }.flatten
  } yield files

  /** Spark passes the sink to no one, and its classes moved between versions. */
  private def tableOf(query: AnyRef): Option[AnyRef] = {
    val execution = Try(call(query, "streamingQuery")).getOrElse(query)
    Try(call(execution, "sink")).toOption
  }

  private def call(target: AnyRef, method: String): AnyRef =
    target.getClass.getMethod(method).invoke(target)
}
