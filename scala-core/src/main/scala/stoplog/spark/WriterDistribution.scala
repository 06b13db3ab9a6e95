// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.util.Try

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.connector.expressions.{Expression, Expressions, SortDirection, SortOrder}
import org.apache.spark.sql.types._

import stoplog.bucket.Bucketing
import stoplog.error.Errors
import stoplog.options.{BucketOptions, Distribution, SinkOptions}

/** How Spark is asked to bring rows to writers. Path tables can be clustered by plain columns only. */
private[spark] final case class WriterDistribution(
    clustering: Seq[Expression],
    writers: Option[Int],
    ordering: Seq[SortOrder]
)

private[spark] object WriterDistribution {

  /** `None` to leave the rows where they are. Error: `STOPLOG_DISTRIBUTION_UNSUPPORTED`. */
  def of(options: SinkOptions, schema: StructType): Option[WriterDistribution] =
    options.parts.distribution match {
      case Distribution.Unspecified    => None
      case Distribution.Writers(count) => Some(WriterDistribution(spread(schema), Some(count), Nil))
      case Distribution.ByBucket       =>
        val columns = bucketColumns(options.buckets.bucketing, schema).map(column)
        // In the order of their buckets, so that a task needs few parts at a time.
        Some(WriterDistribution(columns, None, columns.map(Expressions.sort(_, SortDirection.ASCENDING))))
    }

  private def bucketColumns(bucketing: Bucketing, schema: StructType): Seq[String] = bucketing match {
    case Bucketing.PartitionColumns(names, _) => names
    case Bucketing.Expression(sql)            => Seq(plainColumn(sql, schema))
    case other                                =>
      throw Errors.distributionUnsupported(
        s"byBucket needs buckets that are columns (partitionBy, or bucketBy with one column), and here they are ${BucketOptions.toMap(other).mkString(", ")}"
      )
  }

  private def plainColumn(sql: String, schema: StructType): String =
    Try(CatalystSqlParser.parseMultipartIdentifier(sql)).toOption
      .collect { case Seq(name) => name }
      .filter(name => schema.fieldNames.exists(_.equalsIgnoreCase(name)))
      .getOrElse(
        throw Errors.distributionUnsupported(
          s"byBucket needs a plain column, and bucketBy is the expression $sql"
        )
      )

  /** Every column that can be hashed; equal rows go to the same writer, others anywhere. */
  private def spread(schema: StructType): Seq[Expression] = {
    val hashable = schema.filter(field => isHashable(field.dataType))
    if (hashable.isEmpty) throw Errors.distributionUnsupported("no column of the rows can be hashed")
    hashable.map(field => column(field.name))
  }

  private def isHashable(dataType: DataType): Boolean = dataType match {
    case _: MapType         => false
    case array: ArrayType   => isHashable(array.elementType)
    case struct: StructType => struct.forall(field => isHashable(field.dataType))
    case other              => other.typeName != "variant"
  }

  private def column(name: String): Expression = Expressions.column(s"`${name.replace("`", "``")}`")
}
