// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SaveMode}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.error.Redaction

/** A sink or a source, fully set by options. It is equal to another one with the same options. */
private[stoplog] abstract class Configured(set: Map[String, String]) {

  /** The options that stand for it. */
  def options(): JMap[String, String] = set.asJava

  override def equals(other: Any): Boolean = other match {
    case that: Configured => getClass == that.getClass && options() == that.options()
    case _                => false
  }

  override def hashCode: Int = options().hashCode

  override def toString: String = Redaction.options(getClass.getSimpleName, shown)

  /** The options for people to read, who see no secret among them. */
  protected def shown: Map[String, String] = set
}

/** A sink, fully set by options of a `format(…)`. */
private[stoplog] abstract class ConfiguredSink(format: String, set: Map[String, String])
    extends Configured(set) {

  /** A stream writer with everything of the sink set; the checkpoint, trigger and `start()` are the caller's. */
  def writeStream(rows: DataFrame): DataStreamWriter[Row] = rows.writeStream.format(format).options(set)

  /** A batch writer that adds rows to the target. Ends with `save()`. */
  def write(rows: DataFrame): DataFrameWriter[Row] =
    rows.write.format(format).options(set).mode(SaveMode.Append)
}
