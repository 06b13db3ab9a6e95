// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SaveMode}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.error.Redaction

/** A sink or a source, fully configured. Instances of a class are equal if their options are equal. */
private[stoplog] abstract class Configured(set: Map[String, String]) {

  /** Returns the options of this sink or source. */
  def options(): JMap[String, String] = set.asJava

  override def equals(other: Any): Boolean = other match {
    case that: Configured => getClass == that.getClass && options() == that.options()
    case _                => false
  }

  override def hashCode: Int = options().hashCode

  override def toString: String = Redaction.options(getClass.getSimpleName, shown)

  /** Returns the options for `toString`. Subclasses hide secrets here. */
  protected def shown: Map[String, String] = set
}

/** A sink, fully configured by options of a `format(…)`. */
private[stoplog] abstract class ConfiguredSink(format: String, set: Map[String, String])
    extends Configured(set) {

  /** Returns a stream writer with all options. The caller sets checkpoint and trigger and starts it. */
  def writeStream(rows: DataFrame): DataStreamWriter[Row] = rows.writeStream.format(format).options(set)

  /** Returns a batch writer that appends rows to the target. Ends with `save()`. */
  def write(rows: DataFrame): DataFrameWriter[Row] =
    rows.write.format(format).options(set).mode(SaveMode.Append)
}
