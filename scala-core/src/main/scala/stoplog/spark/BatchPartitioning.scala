package stoplog.spark

import org.apache.spark.sql.connector.expressions.{IdentityTransform, NamedReference, Transform}

import stoplog.error.Errors
import stoplog.options.SinkOptions

/** `DataFrameWriter.partitionBy` of a batch write means the option of that name.
  *
  * `DataStreamWriter.partitionBy` never arrives here: Spark drops it for such sinks, without a word.
  */
private[spark] object BatchPartitioning {

  def merged(options: SinkOptions, partitioned: Array[Transform]): SinkOptions =
    if (partitioned.isEmpty) options
    else SinkOptions.parse(options.toMap + ("partitionBy" -> partitioned.map(column).mkString(",")))

  private def column(transform: Transform): String = transform match {
    case identity: IdentityTransform => quoted(identity.reference)
    case other => throw Errors.partitionColumns(s"${other.describe} is not a plain column")
  }

  private def quoted(reference: NamedReference): String = reference.fieldNames match {
    case Array(name) => name
    case nested      => throw Errors.partitionColumns(s"${nested.mkString(".")} is not a top-level column")
  }
}
