// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.time.ZoneId

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.execution.datasources.PartitioningUtils
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.error.Errors
import stoplog.source.file.DirectoryNames
import stoplog.storage.SourceFile

/** The columns that names of directories tell, such as `day=2026-11-21`.
  *
  * @param schema those columns, as the user or the names have their types
  * @param others what no directory may name: the columns that are in the files, if nobody but the names said which are not
  * @param zone   in which times are
  */
private[stoplog] final case class DirectoryColumns(schema: StructType, others: Set[String], zone: String) {

  def isEmpty: Boolean = schema.isEmpty

  /** The columns that are in the files. */
  def without(columns: StructType): StructType = StructType(columns.filterNot(c => has(c.name)))

  /** Those of some columns that directories tell, in their order. */
  def in(columns: StructType): StructType = StructType(columns.filter(c => has(c.name)))

  /** Error: `STOPLOG_SOURCE_FILE_UNREADABLE` for a file whose directories name what is none of these columns. */
  def check(file: SourceFile, fileName: String): Unit = if (others.nonEmpty) {
    val named = DirectoryColumns.named(DirectoryNames.of(file)).map(_._1)
    named.find(name => others.contains(name.toLowerCase)).foreach { name =>
      val why =
        s"its path names $name, which no directory named when the query began: set partitionColumns, or " +
          "rename the column"
      throw Errors.sourceFileUnreadable(fileName, "its directory", why, null)
    }
  }

  /** The values for a file. Error: `STOPLOG_SOURCE_FILE_UNREADABLE` for one of another type.
    *
    * @param fileName as a user knows it
    * @param columns  those that are wanted
    */
  def values(file: SourceFile, fileName: String, columns: StructType): InternalRow = {
    val named = DirectoryColumns.named(DirectoryNames.of(file))
    new GenericInternalRow(columns.fields.map[Any] { column =>
      try value(named, column.name)
      catch {
        case NonFatal(e) =>
          val why = s"its path has no ${column.dataType.sql} for ${column.name}"
          throw Errors.sourceFileUnreadable(fileName, "its directory", why, e)
      }
    })
  }

  /** The value of a column in a directory: none if it does not name it. */
  def valueIn(directory: String, column: String): Option[Any] = {
    val named = DirectoryColumns.named(directory)
    Option.when(named.exists(_._1.equalsIgnoreCase(column)))(value(named, column))
  }

  private def value(named: Vector[(String, String)], column: String): Any =
    named.find(_._1.equalsIgnoreCase(column)).map(_._2) match {
      case None | Some(ExternalCatalogUtils.DEFAULT_PARTITION_NAME) => null
      case Some(text)                                               =>
        val unescaped = ExternalCatalogUtils.unescapePathName(text)
        schema.find(_.name.equalsIgnoreCase(column)).get.dataType match {
          case _: StringType => UTF8String.fromString(unescaped) // which Spark's own would unescape once more
          case other => PartitioningUtils.castPartValueToDesiredType(other, unescaped, ZoneId.of(zone))
        }
    }

  /** Whether a column is one of them. */
  def has(name: String): Boolean = schema.exists(_.name.equalsIgnoreCase(name))

}

private[stoplog] object DirectoryColumns {

  /** The columns that a directory names, and their values. Escapes of the values are left as they are.
    *
    * @param directory relative to the source's root
    */
  def named(directory: String): Vector[(String, String)] =
    DirectoryNames.values(directory).map { case (name, value) =>
      ExternalCatalogUtils.unescapePathName(name) -> value
    }

  /** @param names of columns that directories tell
    * @param set   whether the user said that it is these
    */
  def of(columns: StructType, names: DirectoryColumns.Names, zone: String): DirectoryColumns = {
    val (told, inFiles) = columns.partition(column => names.all.exists(_.equalsIgnoreCase(column.name)))
    val others          = names match {
      case _: Names.Set   => Set.empty[String]
      case _: Names.Found => inFiles.map(_.name.toLowerCase).toSet
    }
    DirectoryColumns(StructType(told), others, zone)
  }

  /** Who says which columns directories tell. */
  sealed trait Names {
    def all: Seq[String]
  }
  object Names {

    /** The user. */
    final case class Set(all: Seq[String]) extends Names

    /** The directories. */
    final case class Found(all: Seq[String]) extends Names
  }
}
