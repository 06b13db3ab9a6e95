// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.util.Locale

import stoplog.jdbc.types.ColumnType._

/** Column types by their names in SQL. */
private[jdbc] object TypeNames {

  /** Returns the type with a name of the SQL standard, as PostgreSQL and H2 spell it, such as
    * `character varying(10)` or `timestamp(3) with time zone`.
    *
    * @param other the type with any other name
    */
  def standard(name: String)(other: String => ColumnType): ColumnType = {
    val spelled = name.trim.toLowerCase(Locale.ROOT)
    spelled match {
      case ArrayOf(element)                            => ListOf(standard(element)(other), element)
      case "smallint" | "smallserial" | "int2"         => signed(16)
      case "integer" | "serial" | "int4"               => signed(32)
      case "bigint" | "bigserial" | "int8"             => signed(64)
      case "tinyint"                                   => signed(8)
      case "oid"                                       => unsigned(32)
      case "real" | "float4"                           => Floating(24, AllValues)
      case "double precision" | "double" | "float8"    => Floating(53, AllValues)
      case Numeric(_, digits, scale) if digits != null => Fixed(digits.toInt, number(scale))
      case Numeric(_, _, _)                            => Significant(AnyDigits)
      case "decfloat"                                  => Significant(AnyDigits)
      case DecFloat(digits)                            => Significant(digits.toInt)
      case "boolean" | "bool"                          => Truth
      case "text" | "character large object" | "character varying" | "varchar" => Text(None, Unpadded)
      case "bpchar"                                                            => Text(None, Padded)
      case Varying(_, length)              => Text(Some(length.toInt), Unpadded)
      case Character(_, length)            => Text(Some(Option(length).fold(1)(_.toInt)), Padded)
      case "bytea" | "binary large object" => Bytes(None, Unpadded)
      case BinaryVarying(length)           => Bytes(Option(length).map(_.toInt), Unpadded)
      case Binary(length)                  => Bytes(Some(Option(length).fold(1)(_.toInt)), Padded)
      case "date"                          => Day
      case Moments(fraction, "with")       => Moment(six(fraction))
      case Moments(fraction, _)            => LocalMoment(six(fraction))
      case Time(_, "with")                 => Unsupported("stores a time zone without a date")
      case Time(fraction, _)               => TimeOfDay(six(fraction))
      case _                               => other(name)
    }
  }

  /** Returns the type with a name of PostgreSQL's `format_type`. All further types parse texts. */
  def postgreSql(name: String): ColumnType = standard(name) { other =>
    other.replaceAll("\\(.*", "").trim match {
      case "money"                               => Unsupported("depends on the locale of the server")
      case "name" | "\"char\""                   => Unsupported("cuts texts")
      case "tsvector" | "tsquery"                => Unsupported("changes texts")
      case other if other.startsWith("interval") => Unsupported("has several text forms")
      case internal if internal.startsWith("reg") && internal.length <= 16 =>
        Unsupported("refers to objects of the database")
      case _ => Parsed(other)
    }
  }

  /** Returns the type of a column with a `COLUMN_TYPE` of MySQL, such as `int(10) unsigned`. */
  def mySql(columnType: String): ColumnType = {
    val spelled = columnType.trim
    val lower   = spelled.toLowerCase(Locale.ROOT)
    val word    = lower.takeWhile(c => c != '(' && c != ' ')
    val sizes   =
      Sizes.findFirstMatchIn(lower).fold(Seq.empty[Int])(_.group(1).split(",").toSeq.map(_.trim.toInt))
    def integer(bits: Int)  = if (lower.contains("unsigned")) unsigned(bits) else signed(bits)
    def floating(bits: Int) =
      if (sizes.size == 2) Unsupported("rounds to a fixed number of digits")
      else Floating(if (sizes.exists(_ > 24)) 53 else bits, FiniteValues)
    def fraction = sizes.headOption.getOrElse(0)
    word match {
      case "tinyint"             => integer(8)
      case "smallint"            => integer(16)
      case "mediumint"           => integer(24)
      case "int" | "integer"     => integer(32)
      case "bigint"              => integer(64)
      case "decimal" | "numeric" => Fixed(sizes.headOption.getOrElse(10), sizes.lift(1).getOrElse(0))
      case "float"               => floating(24)
      case "double" | "real"     => floating(53)
      case "bit"                 => Bits(sizes.headOption.getOrElse(1))
      case "char"                => Text(Some(sizes.headOption.getOrElse(1)), Stripped)
      case "varchar"             => Text(sizes.headOption, Unpadded)
      case "tinytext"            => SizedText((1 << 8) - 1)
      case "text"                => SizedText((1 << 16) - 1)
      case "mediumtext"          => SizedText((1 << 24) - 1)
      case "json" | "longtext"   => Text(None, Unpadded)
      case "enum"                => Labels(labels(spelled), separator = None)
      case "set"                 => Labels(labels(spelled), separator = Some(","))
      case "binary"              => Bytes(Some(sizes.headOption.getOrElse(1)), Padded)
      case "varbinary"           => Bytes(sizes.headOption, Unpadded)
      case "tinyblob" | "blob" | "mediumblob" | "longblob" => Bytes(None, Unpadded)
      case "date"                                          => Day
      case "datetime"                                      => LocalMoment(fraction)
      case "timestamp"                                     => SessionMoment(fraction)
      case "time"                                          => TimeOfDay(fraction)
      case "year"                                          => Year
      case "uuid" | "inet4" | "inet6"                      => Parsed(word)
      case _ => Unsupported("is of a type that the sink does not write")
    }
  }

  /** Returns the type of a column of SQLite, by the rules of https://www.sqlite.org/datatype3.html. */
  def sqlite(declared: String): ColumnType = {
    val name                = declared.toUpperCase(Locale.ROOT)
    def has(words: String*) = words.exists(name.contains(_))
    Affine(
      if (has("INT")) WholeAffinity
      else if (has("CHAR", "CLOB", "TEXT")) TextAffinity
      else if (name.isEmpty || has("BLOB")) NoAffinity
      else if (has("REAL", "FLOA", "DOUB")) RealAffinity
      else NumericAffinity
    )
  }

  /** Returns the quoted texts of a type such as `enum('a','b')`. */
  def labels(columnType: String): Vector[String] =
    Label.findAllMatchIn(columnType).map(_.group(1).replace("''", "'")).toVector

  private def six(fraction: String): Int = Option(fraction).fold(6)(_.toInt)

  private def number(digits: String): Int = Option(digits).fold(0)(_.toInt)

  private val ArrayOf  = "(.+?)(?:\\[\\d*\\]| array(?:\\[\\d+\\])?)".r
  private val Numeric  = "(numeric|decimal)(?:\\((\\d+)(?:, ?(-?\\d+))?\\))?".r
  private val DecFloat = "decfloat\\((\\d+)\\)".r
  private val Varying  = "(character varying|varchar|varchar_ignorecase|character large object)\\((\\d+)\\)".r
  private val Character     = "(character|char)(?:\\((\\d+)\\))?".r
  private val BinaryVarying = "(?:binary varying|varbinary)(?:\\((\\d+)\\))?".r
  private val Binary        = "binary(?:\\((\\d+)\\))?".r
  private val Moments       = "timestamp(?:\\((\\d)\\))?(?: (with|without) time zone)?".r
  private val Time          = "time(?:\\((\\d)\\))?(?: (with|without) time zone)?".r
  private val Sizes         = "^\\w+\\(([\\d, ]+)\\)".r
  private val Label         = "'((?:[^']|'')*)'".r
}
