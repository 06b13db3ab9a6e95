// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.math.BigDecimal
import java.time.{LocalDate, LocalDateTime, ZoneId}
import java.util.Arrays

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.analysis.TypeCoercion
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._

import stoplog.bucket.DirectoryValue
import stoplog.error.Errors
import stoplog.source.file.DirectoryNames
import stoplog.storage.SourceFile

/** The columns named by directories, such as `day=2026-11-21`.
  *
  * @param schema the columns, with types from the user or inferred from the names
  * @param refuses whether a name is forbidden for directories; none if the user set the columns
  * @param zone   the time zone for timestamps, as named by Spark; a file may record another zone
  * @param isSame whether two names are equal under the session's settings
  */
private[stoplog] final case class DirectoryColumns(
    schema: StructType,
    refuses: Option[String => Boolean],
    zone: String,
    isSame: (String, String) => Boolean
) {
  private lazy val zoneId = DateTimeUtils.getZoneId(zone)

  def isEmpty: Boolean = schema.isEmpty

  /** Returns the columns stored in the files. */
  def without(columns: StructType): StructType = StructType(columns.filterNot(c => has(c.name)))

  /** Returns the columns among `columns` that directories name, in their order. */
  def in(columns: StructType): StructType = StructType(columns.filter(c => has(c.name)))

  /** Checks the directories of a file. Error: `STOPLOG_SOURCE_FILE_UNREADABLE` for an unexpected column. */
  def check(file: SourceFile, fileName: String): Unit =
    for {
      isRefused <- refuses
      (name, _) <- DirectoryColumns.named(DirectoryNames.of(file)).find { case (name, _) => isRefused(name) }
    } {
      val why =
        s"its path contains $name, which was not in the directory that defined the columns at the start " +
          "of the query: set partitionColumns, or rename the directory or the column"
      throw Errors.sourceFileUnreadable(fileName, "its directory", why, null)
    }

  /** Returns the values for a file. Error: `STOPLOG_SOURCE_FILE_UNREADABLE` for a value of another type.
    *
    * @param fileName the file's name for users
    * @param columns  the requested columns
    */
  def values(file: SourceFile, fileName: String, columns: StructType): InternalRow = {
    val named = DirectoryColumns.named(DirectoryNames.of(file))
    new GenericInternalRow(columns.fields.map[Any] { column =>
      try value(named, column.name, zoneOf(file)).orNull
      catch {
        case NonFatal(e) =>
          val why = s"its path has no ${column.dataType.sql} for ${column.name}"
          throw Errors.sourceFileUnreadable(fileName, "its directory", why, e)
      }
    })
  }

  /** Returns the value of a column in a directory; `None` if the directory does not name the column. */
  def valueIn(directory: String, column: String): Option[Any] = valuesIn(directory)(column)

  /** Returns the values in a directory by their columns, as [[valueIn]]. Parses the directory once. */
  def valuesIn(directory: String): String => Option[Any] = {
    val named = DirectoryColumns.named(directory)
    column => value(named, column, zoneId)
  }

  private def zoneOf(file: SourceFile): ZoneId =
    file.zone.filter(_ != zone).fold(zoneId)(DateTimeUtils.getZoneId)

  private def value(named: Vector[(String, String)], column: String, zone: ZoneId): Option[Any] =
    named.find { case (name, _) => isSame(name, column) }.map { case (_, text) =>
      DirectoryValue.of(text, schema.find(field => isSame(field.name, column)).get.dataType, zone)
    }

  /** Whether directories name the column. */
  def has(name: String): Boolean = schema.exists(field => isSame(field.name, name))
}

private[stoplog] object DirectoryColumns {

  /** Returns the columns named by a directory, and their values. Escapes in the values are kept.
    *
    * @param directory relative to the source's root
    */
  def named(directory: String): Vector[(String, String)] =
    DirectoryNames.values(directory).map { case (name, value) =>
      ExternalCatalogUtils.unescapePathName(name) -> value
    }

  /** @param names the names of the directory columns, and their source
    * @param zone  the time zone for timestamps
    */
  def of(columns: StructType, names: DirectoryColumns.Names, zone: String): DirectoryColumns = {
    val isSame                   = SQLConf.get.resolver
    val (inDirectories, inFiles) = columns.partition(column => names.all.exists(isSame(_, column.name)))
    // If no directory names a column, directories may have any name except a column of the files.
    val refuses: Option[String => Boolean] = names match {
      case _: Names.Set     => None
      case Names.Found(Nil) => Some(name => inFiles.exists(column => isSame(column.name, name)))
      case Names.Found(all) => Some(name => !all.exists(isSame(_, name)))
    }
    DirectoryColumns(StructType(inDirectories), refuses, zone, isSame)
  }

  /** Compares two values like Spark: zeros of both signs are equal, and `NaN` equals itself and exceeds all
    * others. Returns `None` for values of two types.
    */
  def compare(a: Any, b: Any): Option[Int] = (a, b) match {
    case (a: Double, b: Double)           => Some(if (a == b) 0 else java.lang.Double.compare(a, b))
    case (a: Float, b: Float)             => Some(if (a == b) 0 else java.lang.Float.compare(a, b))
    case (a: Array[Byte], b: Array[Byte]) => Some(Arrays.compareUnsigned(a, b))
    case (a: Comparable[_], b: AnyRef) if a.getClass == b.getClass =>
      Some(a.asInstanceOf[Comparable[Any]].compareTo(b))
    case _ => None
  }

  /** The source of the directory columns' names. */
  sealed trait Names {
    def all: Seq[String]
  }
  object Names {

    /** The user. */
    final case class Set(all: Seq[String]) extends Names

    /** The directories. */
    final case class Found(all: Seq[String]) extends Names
  }

  /** Skips directories whose names prove that no row can pass the query's filters. */
  final class DirectoryFilter(filters: Seq[Filter], columns: DirectoryColumns) extends Serializable {
    private val useful = filters.filter(_.references.exists(columns.has))

    /** Whether rows in a directory may pass. */
    def enters(directory: String): Boolean =
      useful.forall(filter => passes(filter, directory) != DirectoryFilter.No)

    /** Throws an error if the path of a file is invalid. */
    def check(file: SourceFile, fileName: String): Unit = columns.check(file, fileName)

    /** Returns `None` if the names do not determine the result. */
    private def passes(filter: Filter, path: String): Option[Boolean] = {
      def compared(column: String, to: Any)(holds: Int => Boolean): Option[Boolean] =
        for {
          value <- valueOf(column, path) if value != null
          order <- DirectoryColumns.compare(value, CatalystTypeConverters.convertToCatalyst(to))
        } yield holds(order)

      filter match {
        case EqualTo(column, to)            => compared(column, to)(_ == 0)
        case EqualNullSafe(column, to)      => compared(column, to)(_ == 0)
        case GreaterThan(column, to)        => compared(column, to)(_ > 0)
        case GreaterThanOrEqual(column, to) => compared(column, to)(_ >= 0)
        case LessThan(column, to)           => compared(column, to)(_ < 0)
        case LessThanOrEqual(column, to)    => compared(column, to)(_ <= 0)
        case In(column, all)                => any(all.toSeq.map(to => compared(column, to)(_ == 0)))
        case StringStartsWith(column, text) =>
          valueOf(column, path).filter(_ != null).map(_.toString.startsWith(text))
        case IsNull(column)    => valueOf(column, path).map(_ == null)
        case IsNotNull(column) => valueOf(column, path).map(_ != null)
        case Or(a, b)          => any(Seq(passes(a, path), passes(b, path)))
        case And(a, b)         => any(Seq(a, b).map(passes(_, path).map(!_))).map(!_)
        case Not(other)        => passes(other, path).map(!_)
        case _                 => None
      }
    }

    private def any(all: Seq[Option[Boolean]]): Option[Boolean] =
      if (all.contains(DirectoryFilter.Yes)) DirectoryFilter.Yes
      else if (all.contains(None)) None
      else DirectoryFilter.No

    // Ignores values of another type. The task that reads such a file throws the error.
    private def valueOf(column: String, path: String): Option[Any] =
      Try(columns.valueIn(path, column)).toOption.flatten
  }

  private object DirectoryFilter {
    val Yes: Option[Boolean] = Some(true)
    val No: Option[Boolean]  = Some(false)

  }

  /** Infers the types of directory columns from all of their values, like Spark's own sources. */
  object DirectoryTypes {

    /** @param names  in the order of the columns
      * @param values of each name, escaped
      */
    def of(names: Seq[String], values: String => Iterable[String]): StructType =
      StructType(names.map(name => StructField(name, common(values(name).map(typeOf)))))

    private def common(types: Iterable[DataType]): DataType =
      types.filterNot(_ == NullType).reduceOption(wider).getOrElse(StringType)

    private def typeOf(escaped: String): DataType =
      if (escaped == ExternalCatalogUtils.DEFAULT_PARTITION_NAME) NullType
      else {
        val text                     = ExternalCatalogUtils.unescapePathName(escaped)
        def is(parse: String => Any) = Try(parse(text)).isSuccess
        if (is(_.toInt)) IntegerType
        else if (is(_.toLong)) LongType
        else
          whole(text).getOrElse {
            if (is(_.toDouble)) DoubleType
            else if (is(LocalDate.parse(_))) DateType
            else if (isTimestamp(text)) TimestampType
            else StringType
          }
      }

    /** Spark infers a string for a time with more than one fractional digit of the second. */
    private def isTimestamp(text: String): Boolean =
      Timestamp.matches(text) && Try(LocalDateTime.parse(text.replace(' ', 'T'))).isSuccess

    /** Returns the type of a whole number that exceeds all integer types, or has an exponent. */
    private def whole(text: String): Option[DataType] =
      Try(new BigDecimal(text)).toOption
        .filter(number => number.scale <= 0 && number.precision - number.scale <= DecimalType.MAX_PRECISION)
        .map(number => DecimalType(number.precision - number.scale, 0))

    private val Timestamp = """\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d)?""".r

    private def wider(a: DataType, b: DataType): DataType = (a, b) match {
      case (DoubleType, LongType | _: DecimalType) | (LongType | _: DecimalType, DoubleType) => StringType
      case _ => TypeCoercion.findWiderTypeForTwo(a, b).getOrElse(StringType)
    }
  }
}
