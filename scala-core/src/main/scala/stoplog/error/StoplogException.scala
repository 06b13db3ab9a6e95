// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable

/** A failure of a running sink: storage, the commit log, or the rows.
  *
  * Created by [[Errors]] and its counterparts in connectors. `getCondition` (`STOPLOG_…`), `getSqlState` and
  * `getMessageParameters` behave as in any Spark error. The message ends with advice. Earlier commits stay
  * committed.
  *
  * {{{
  * try query.awaitTermination()
  * catch {
  *   case e: StreamingQueryException =>
  *     e.getCause match {
  *       case s: SparkThrowable if s.getCondition == "STOPLOG_STORE_WRITE" => alertDiskFull(s)
  *       case _                                                            => throw e
  *     }
  * }
  * }}}
  */
final class StoplogException private[stoplog] (
    condition: String,
    parameters: Map[String, String],
    cause: Option[Throwable] = None
) extends RuntimeException(Conditions.message(condition, parameters), cause.orNull)
    with SparkThrowable {

  override def getCondition: String = condition

  override def getSqlState: String = Conditions.sqlState(condition)

  override def getMessageParameters: JMap[String, String] = parameters.asJava
}

/** A request that the sink cannot fulfil: an option, a schema, a trigger. Nothing was written.
  *
  * Extends `IllegalArgumentException`, so that PySpark shows its own `IllegalArgumentException`. Otherwise
  * like [[StoplogException]].
  */
final class StoplogArgumentException private[stoplog] (
    condition: String,
    parameters: Map[String, String],
    cause: Option[Throwable] = None
) extends IllegalArgumentException(Conditions.message(condition, parameters), cause.orNull)
    with SparkThrowable {

  override def getCondition: String = condition

  override def getSqlState: String = Conditions.sqlState(condition)

  override def getMessageParameters: JMap[String, String] = parameters.asJava
}
