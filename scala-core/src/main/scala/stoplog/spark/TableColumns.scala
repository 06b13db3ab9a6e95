// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumnsUtils.CURRENT_DEFAULT_COLUMN_METADATA_KEY
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import stoplog.error.Errors
import stoplog.filesource.SourceColumns

/** The declared columns of a catalog table, to which its rows must conform. Spark checks batch writes, but
  * not streams. Without this check, columns with another name or type would be invisible to readers of the
  * table.
  *
  * @param partitioned the columns in directory names
  * @param known       how readers of the files find a column
  */
private[spark] final case class TableColumns(
    all: StructType,
    partitioned: Seq[String],
    known: TableColumns.KnownBy
) {
  import TableColumns._

  /** Returns the columns of a query's rows, with the table's names and the query's watermark. All columns are
    * nullable in type, so that each micro-batch has the same columns. The metadata of the table's columns
    * contains their defaults and lengths. A column missing in the query follows with its default, or is null
    * without a default. Partition columns and `NOT NULL` columns without a default, and columns of formats
    * without names, must not be missing.
    *
    * Error: `STOPLOG_ROW_COLUMNS`.
    */
  def fitted(table: String, rows: StructType): StructType = {
    val found    = rows.map(field => field -> declared(field.name))
    val problems = found.flatMap { case (field, is) => problem(field, is) } ++
      needed.filterNot(found.flatMap(_._2).contains).map(field => s"${field.name} is missing") ++
      Option
        .when(known == KnownBy.Place && !isInOrder(found.flatMap(_._2)))(inFiles.map(_.name).mkString(", "))
        .map(order => s"they are not in the order $order, which identifies the columns in this format")
    if (problems.nonEmpty) throw Errors.tableColumns(table, problems, all.toDDL)
    SourceColumns.nullable(StructType(found.flatMap { case (field, is) =>
      is.map(named => field.copy(name = named.name, metadata = both(named.metadata, field.metadata)))
    } ++ missing(rows)))
  }

  /** Returns the conversion of a stream's rows to rows with the columns [[fitted]].
    *
    * @param rows as the query has them
    */
  def ofStream(table: String, rows: StructType): TableRows = {
    val defaults = missing(rows).map { field =>
      val value = ResolveDefaultColumns.analyze(field, "INSERT", CURRENT_DEFAULT_COLUMN_METADATA_KEY)
      Literal(value.eval(), field.dataType)
    }
    TableRows.of(fitted(table, rows), defaults)
  }

  /** The columns with a default that a query does not have. */
  private def missing(rows: StructType): Seq[StructField] = {
    val found = rows.flatMap(field => declared(field.name))
    all.filter(field => hasDefault(field) && !found.contains(field))
  }

  /** The lengths of the query's columns, such as columns of another table, do not hold for the table. */
  private def both(ofTable: Metadata, ofQuery: Metadata): Metadata =
    new MetadataBuilder().withMetadata(ofQuery).remove(LengthKey).withMetadata(ofTable).build()

  private def hasDefault(field: StructField): Boolean = field.getCurrentDefaultValue().isDefined

  private def declared(name: String): Option[StructField] =
    all.find(_.name == name).orElse(all.find(isNamed(name)))

  private def inFiles: Seq[StructField] = all.filterNot(isInDirectories)

  private def needed: Seq[StructField] =
    if (known == KnownBy.Place) all
    else all.filter(field => (!field.nullable || isInDirectories(field)) && !hasDefault(field))

  private def isInOrder(found: Seq[StructField]): Boolean = found.filter(inFiles.contains) == inFiles

  private def isInDirectories(field: StructField): Boolean = partitioned.exists(isNamed(_)(field))

  private def isNamed(name: String)(field: StructField): Boolean = SQLConf.get.resolver(field.name, name)
}

private[spark] object TableColumns {

  /** Under which Spark keeps the type `CHAR(n)` or `VARCHAR(n)` of a column. */
  private final val LengthKey = "__CHAR_VARCHAR_TYPE_STRING"

  /** How readers of a file find a column. */
  sealed trait KnownBy
  object KnownBy {
    case object Name  extends KnownBy
    case object Place extends KnownBy
  }

  /** Returns whether both types are the same in files, which record no lengths or collations of strings. */
  def isSame(declared: DataType, written: DataType): Boolean =
    DataType.equalsIgnoreNullability(fileType(declared), fileType(written))

  private def problem(field: StructField, declared: Option[StructField]): Option[String] = declared match {
    case None => Some(s"the table has no column ${field.name}")
    case Some(known) if !isSame(known.dataType, field.dataType) =>
      Some(s"${known.name} is ${field.dataType.sql}, and ${known.dataType.sql} in the table")
    case _ => None
  }

  private def fileType(of: DataType): DataType = of match {
    case _: StringType      => StringType
    case struct: StructType =>
      StructType(struct.map(field => field.copy(dataType = fileType(field.dataType))))
    case array: ArrayType => array.copy(elementType = fileType(array.elementType))
    case map: MapType     => map.copy(keyType = fileType(map.keyType), valueType = fileType(map.valueType))
    case other            => other
  }
}
