// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.UUID

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import stoplog.engine.{QueryTrigger, RunStart}
import stoplog.error.Errors

/** The facts about a micro-batch that its thread can know.
  *
  * @param batch   the micro-batch's id, which Spark gives to a sink only once tasks run
  * @param runId   of this start of the query
  * @param trigger how its batches come about
  */
private[stoplog] final case class QueryContext(batch: Long, runId: String, trigger: QueryTrigger)

private[stoplog] object QueryContext {

  /** Errors: `STOPLOG_UNSUPPORTED_TRIGGER` if epochs are not micro-batches. */
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

  /** The start of the query whose thread this is; `None` on any other thread. */
  def start(): Option[RunStart] = for {
    session <- SparkSession.getActiveSession
    queryId <- Option(session.sparkContext.getLocalProperty(QueryId))
    runId   <- Option(session.sparkContext.getLocalProperty(JobGroup))
  } yield RunStart(queryId, runId, named(sparksTrigger(session, queryId).fold("")(nameOf)))

  /** Whether Spark no longer runs this start of a query; `None` where it cannot be asked. */
  def isOver(session: SparkSession, start: RunStart): Option[Boolean] = Try {
    !Option(queries(session).get(UUID.fromString(start.queryId)))
      .exists(call(_, "runId").toString == start.runId)
  }.toOption

  /** Spark keeps the trigger from sinks. Its classes have moved between versions, so it is asked by name; where it
    * does not answer, the batch id still tells micro-batches from everything else.
    */
  def sparksTrigger(session: SparkSession, queryId: String): Option[AnyRef] =
    running(session, queryId).flatMap(query => Try(call(query, "trigger")).toOption)

  /** Spark's own object for a query that runs. */
  def running(session: SparkSession, queryId: String): Option[AnyRef] =
    Try(queries(session).get(UUID.fromString(queryId))).toOption.filter(_ != null)

  /** The query's checkpoint, which Spark keeps from sinks, also where it has made the directory itself. */
  def checkpoint(queryId: String): Option[String] = Try {
    running(SparkSession.active, queryId).map(call(_, "resolvedCheckpointRoot").asInstanceOf[String])
  }.toOption.flatten

  /** Whether a source of the streaming query of this thread has a column of this name among those that the query takes. Spark
    * tells a batch query's source, and keeps it from a stream's. A query that does not answer is taken for one that has: a
    * column behind all others harms no plan.
    */
  def reads(column: String): Boolean = {
    val session = SparkSession.active
    Option(session.sparkContext.getLocalProperty(QueryId)).exists { queryId =>
      Try(running(session, queryId).map(call(_, "analyzedPlan").asInstanceOf[LogicalPlan])).toOption.flatten
        .forall(_.collectLeaves().exists(_.output.exists(_.name == column)))
    }
  }

  private def queries(session: SparkSession): java.util.Map[UUID, AnyRef] =
    call(call(session, "sharedState"), "activeStreamingQueries").asInstanceOf[java.util.Map[UUID, AnyRef]]

  private def call(target: AnyRef, method: String): AnyRef =
    target.getClass.getMethod(method).invoke(target)

  private def nameOf(trigger: AnyRef): String = trigger.getClass.getSimpleName

  private def named(trigger: String): QueryTrigger =
    if (trigger.contains("AvailableNow") || trigger.contains("OneTime")) QueryTrigger.Finite
    else QueryTrigger.Unending

  /** The property of a thread, and of its tasks, that has the id of their query: Spark's own constant is out of reach. */
  final val QueryId = "sql.streaming.queryId"

  // The names of Spark's own constants, which are out of reach.
  private val BatchId  = "streaming.sql.batchId"
  private val JobGroup = "spark.jobGroup.id"
}
