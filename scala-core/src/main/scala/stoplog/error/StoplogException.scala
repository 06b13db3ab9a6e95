// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable

/** A failure while the sink runs: storage, the commit log, the rows themselves.
  *
  * Made by [[Errors]], and by what does the same for a connector. `getCondition` (`STOPLOG_…`), `getSqlState` and `getMessageParameters` answer as for any
  * error of Spark; the message ends with what to do. What was committed before stays committed.
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

/** Something that was asked of the sink cannot be done: an option, a schema, a trigger. Nothing was written.
  *
  * An `IllegalArgumentException`, so that PySpark shows it as its own `IllegalArgumentException`. Otherwise like
  * [[StoplogException]].
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
