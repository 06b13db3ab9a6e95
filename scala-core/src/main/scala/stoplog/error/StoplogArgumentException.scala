// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable

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
