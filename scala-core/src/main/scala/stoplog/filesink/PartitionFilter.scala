// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.control.NonFatal

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, StructField, StructType}

import stoplog.bucket.{Bucketing, PartitionColumns}
import stoplog.engine.Condition
import stoplog.engine.Condition.{Truth, Value}
import stoplog.error.Errors
import stoplog.format.read.DirectoryColumns
import stoplog.storage.VisibleFiles.DirectoryChoice

/** The directories whose partition satisfies a condition. The values of a directory are parsed by the rules
  * of the file source, so a job replaces the files whose rows a reader selects by the same condition.
  *
  * @param path for messages
  */
private[stoplog] final class PartitionFilter private (
    condition: Condition,
    columns: DirectoryColumns,
    path: String
) extends DirectoryChoice {

  override def enters(directory: String): Boolean =
    condition.mayHold(new Named(directory, missing = Value.Open))

  /** A column that no directory names is NULL, as for readers. */
  override def takes(directory: String): Boolean =
    condition.holds(new Named(directory, missing = Value.Known(null)))

  override def takesAll(directory: String): Boolean =
    condition.results(new Named(directory, missing = Value.Open)) == Set(Truth.Yes)

  /** Rejects a row of another partition. Called once for each bucket of a task.
    *
    * Error: `STOPLOG_ROW_OUTSIDE_OVERWRITE`.
    */
  def refuseOutside(bucket: String): Unit =
    if (!takes(bucket)) throw Errors.rowOutsideOverwrite(path, bucket)

  private final class Named(directory: String, missing: Value) extends Condition.Values {
    private val values = columns.valuesIn(directory)

    override def of(column: String): Value =
      try values(column).fold(missing)(Value.Known(_))
      catch {
        case NonFatal(e) =>
          val why =
            s"the directory '$directory' has no ${PartitionFilter.typeOf(columns, column)} for $column " +
              s"(${e.getMessage})"
          throw Errors.partitionCondition(path, PartitionConditions.sql(condition), why)
      }

    override def compare(a: Any, b: Any): Int = DirectoryColumns
      .compare(a, b)
      .getOrElse(throw new IllegalStateException(s"values of two types: ${a.getClass}, ${b.getClass}"))
  }
}

private[stoplog] object PartitionFilter {

  /** Error: `STOPLOG_PARTITION_CONDITION` if the condition names a column that is in no directory. */
  def of(
      condition: Condition,
      bucketing: Bucketing,
      schema: StructType,
      path: String
  ): PartitionFilter = {
    def refused(why: String) =
      throw Errors.partitionCondition(path, PartitionConditions.sql(condition), why)
    val (names, zone) = bucketing match {
      case Bucketing.PartitionColumns(names, zone) => (names, zone)
      case _ => refused("the sink has no partition columns: partitionBy is not set. Use dynamic mode")
    }
    val partitioned = PartitionColumns.of(schema, names)
    val fields      = partitioned.ordinals.map(schema(_))
    val resolver    = SQLConf.get.resolver
    condition.columns.toVector.sorted.foreach { column =>
      fields.find(field => resolver(field.name, column)) match {
        case None =>
          refused(s"$column is not a partition column (${partitioned.names.mkString(", ")})")
        case Some(field) => problem(field).foreach(refused)
      }
    }
    val spelled = zone.fold(SQLConf.get.sessionLocalTimeZone)(_.getId)
    new PartitionFilter(condition, DirectoryColumns(StructType(fields), None, spelled, resolver), path)
  }

  /** Equal strings may differ in bytes under other collations. */
  private def problem(field: StructField): Option[String] = field.dataType match {
    case text: StringType if text != StringType && text.typeName.contains("collate") =>
      Some(s"${field.name} has a collation")
    case _ => None
  }

  private def typeOf(columns: DirectoryColumns, name: String): String =
    columns.schema.find(field => columns.isSame(field.name, name)).fold("value")(_.dataType.sql)
}
