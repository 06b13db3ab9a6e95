// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructField, StructType}

import stoplog.error.Errors

/** The columns of a table of the catalog, to which its rows are held. Spark sees to that for batch writes, and not for
  * streams: a column of another name or type would be written, and no reader of the table would find it.
  */
private[spark] object TableColumns {

  /** The columns of a query's rows, by the names that the table has for them. A column that the query has not is null in its
    * rows, as files of formats without names cannot have it, and neither can directories.
    *
    * @param partitioned the columns that name directories
    * @param known       how readers of the files find a column
    *
    * Error: `STOPLOG_TABLE_COLUMNS`.
    */
  def fitted(
      name: String,
      rows: StructType,
      table: StructType,
      partitioned: Seq[String],
      known: KnownBy
  ): StructType = {
    val found =
      rows.map(field => field -> table.find(_.name == field.name).orElse(table.find(isNamed(field.name))))
    val inFiles  = table.filterNot(field => partitioned.exists(isNamed(_)(field)))
    val problems = found.flatMap { case (field, declared) => problem(field, declared) } ++
      missing(
        found.flatMap(_._2),
        if (known == KnownBy.Place) table else table.filterNot(inFiles.contains)
      ) ++
      Option
        .when(known == KnownBy.Place)(found.flatMap(_._2).filter(inFiles.contains))
        .filter(_ != inFiles)
        .map { _ =>
          s"they are not in the order ${inFiles.map(_.name).mkString(", ")}, which is how readers of this format know them"
        }
    if (problems.nonEmpty) throw Errors.tableColumns(name, problems, table.toDDL)
    StructType(found.flatMap { case (field, declared) =>
      declared.map(named => field.copy(name = named.name))
    })
  }

  /** How readers of a file find a column. */
  sealed trait KnownBy
  object KnownBy {
    case object Name  extends KnownBy
    case object Place extends KnownBy
  }

  private def problem(field: StructField, declared: Option[StructField]): Option[String] = declared match {
    case None => Some(s"the table has no column ${field.name}")
    case Some(known) if !DataType.equalsIgnoreNullability(known.dataType, field.dataType) =>
      Some(s"${known.name} is ${field.dataType.sql}, and ${known.dataType.sql} in the table")
    case _ => None
  }

  private def missing(found: Seq[StructField], needed: Seq[StructField]): Seq[String] =
    needed.filterNot(found.contains).map(field => s"${field.name} is missing")

  private def isNamed(name: String)(field: StructField): Boolean = SQLConf.get.resolver(field.name, name)
}
