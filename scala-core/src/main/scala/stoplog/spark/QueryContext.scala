// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.UUID

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import stoplog.engine.{QueryTrigger, RunStart}
import stoplog.error.Errors
import stoplog.thread.StopSignal

/** The properties of a micro-batch that are available on its thread.
  *
  * @param batch   the id of the micro-batch, which Spark otherwise passes to a sink only when tasks run
  * @param runId   the id of this start of the query
  * @param trigger the kind of the query's trigger
  */
private[stoplog] final case class QueryContext(batch: Long, runId: String, trigger: QueryTrigger)

private[stoplog] object QueryContext {

  /** Returns the context of this thread. Error: `STOPLOG_UNSUPPORTED` without micro-batches. */
  def current(queryId: String): QueryContext = {
    val session = SparkSession.active
    val context = session.sparkContext
    val name    = sparksTrigger(session, queryId).fold("")(nameOf)
    if (name.contains("RealTime")) throw Errors.unsupportedTrigger("real-time")
    if (name.contains("Continuous")) throw Errors.unsupportedTrigger("continuous")
    val batch = Option(context.getLocalProperty(BatchId)).flatMap(_.toLongOption)
    QueryContext(
      batch.getOrElse(throw Errors.unsupportedTrigger("continuous")),
      Option(context.getLocalProperty(JobGroup)).getOrElse(UUID.randomUUID().toString),
      named(name)
    )
  }

  /** Returns the start of the query that runs on this thread. `None` on any other thread. */
  def start(): Option[RunStart] = for {
    session <- SparkSession.getActiveSession
    queryId <- Option(session.sparkContext.getLocalProperty(QueryId))
    runId   <- Option(session.sparkContext.getLocalProperty(JobGroup))
  } yield RunStart(queryId, runId, named(sparksTrigger(session, queryId).fold("")(nameOf)))

  /** Returns whether this start of a query has ended. `None` if Spark cannot report the state. */
  def isOver(session: SparkSession, start: RunStart): Option[Boolean] = Try {
    !Option(queries(session).get(UUID.fromString(start.queryId)))
      .exists(call(_, "runId").toString == start.runId)
  }.toOption

  /** Returns the signal that the query of this thread was stopped, or has ended. Spark marks the query as
    * inactive before `stop()` interrupts the query's thread. Decided work is not interrupted, and looks at
    * this signal instead.
    */
  def stopSignal(): StopSignal = start().fold(StopSignal.never) { start =>
    val session = SparkSession.active
    new StopSignal {
      override def isStopped: Boolean = Try {
        !Option(queries(session).get(UUID.fromString(start.queryId))).exists { query =>
          call(query, "runId").toString == start.runId && call(query, "isActive") == true
        }
      }.getOrElse(false)
    }
  }

  /** Returns Spark's trigger, which sinks cannot access. Called by reflection, because the classes moved
    * between versions. If this fails, the batch id still distinguishes micro-batches from other modes.
    */
  def sparksTrigger(session: SparkSession, queryId: String): Option[AnyRef] =
    running(session, queryId).flatMap(query => Try(call(query, "trigger")).toOption)

  /** Returns Spark's own object for a running query. */
  def running(session: SparkSession, queryId: String): Option[AnyRef] =
    Try(queries(session).get(UUID.fromString(queryId))).toOption.filter(_ != null)

  /** Returns the query's checkpoint, hidden from sinks, even if Spark created the directory itself. */
  def checkpoint(queryId: String): Option[String] = Try {
    running(SparkSession.active, queryId).map(call(_, "resolvedCheckpointRoot").asInstanceOf[String])
  }.toOption.flatten

  /** Returns whether a source of this thread's streaming query provides a column with this name to the query.
    * Spark passes only the source of a batch query. If the plan is unavailable, returns `true`: an additional
    * column after all others is harmless.
    */
  def reads(column: String): Boolean = {
    val session = SparkSession.active
    Option(session.sparkContext.getLocalProperty(QueryId)).exists { queryId =>
      Try(running(session, queryId).map(call(_, "analyzedPlan").asInstanceOf[LogicalPlan])).toOption.flatten
        .forall(_.collectLeaves().exists(_.output.exists(_.name == column)))
    }
  }

  /** Passes the epoch, and whether it is committed already, to the tasks of this thread's next job: user code
    * in Python workers runs before the sink's writers. The property stays on the thread, so a batch job
    * removes the property.
    */
  def passToTasks(epoch: Option[(Long, Boolean)]): Unit = SparkSession.active.sparkContext.setLocalProperty(
    Plan,
    epoch.map { case (batch, isCommitted) => s"$batch:$isCommitted" }.orNull
  )

  private def queries(session: SparkSession): java.util.Map[UUID, AnyRef] =
    call(call(session, "sharedState"), "activeStreamingQueries").asInstanceOf[java.util.Map[UUID, AnyRef]]

  private def call(target: AnyRef, method: String): AnyRef =
    target.getClass.getMethod(method).invoke(target)

  private def nameOf(trigger: AnyRef): String = trigger.getClass.getSimpleName

  private def named(trigger: String): QueryTrigger =
    if (trigger.contains("AvailableNow") || trigger.contains("OneTime")) QueryTrigger.Finite
    else QueryTrigger.Continuous

  /** The thread and task property with the id of the query. Spark's own constant is not accessible. */
  final val QueryId = "sql.streaming.queryId"

  /** The thread and task property with the epoch and whether the epoch is committed: `7:false`. */
  final val Plan = "stoplog.plan"

  // The names of Spark's own constants, which are not accessible.
  private val BatchId  = "streaming.sql.batchId"
  private val JobGroup = "spark.jobGroup.id"
}
