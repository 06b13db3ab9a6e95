// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.table

import java.sql.Types

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.jdbc.{JdbcDialect, JdbcDialects}
import org.apache.spark.sql.types.StructType

import stoplog.jdbc.client.{ConnectionSource, Dialect, FailureKind, JdbcErrors}
import stoplog.jdbc.options.{JdbcOptions, WriteMode}
import stoplog.jdbc.rows.{Column, Family, RowValues}

/** Checks before the first write: the database responds, and the table accepts the rows. */
private[jdbc] object TableCheck {

  /** Returns the checked target. Errors: `STOPLOG_JDBC_UNREACHABLE`, `STOPLOG_JDBC_TABLE`. */
  def target(options: JdbcOptions, schema: StructType, connector: ConnectionSource): Target = {
    val sparks  = JdbcDialects.get(options.sparkUrl)
    val table   = inspected(options, connector)
    val types   = schema.fields.toSeq.map(field => field -> RowValues.family(field.dataType, sparks))
    val strange = types.collect { case (field, Left(why)) =>
      s"The column '${field.name}' of the rows is of type ${field.dataType.simpleString}: $why."
    }
    val rows = types.collect { case (field, Right(family)) =>
      RowColumn(field.name, family, field.dataType.simpleString)
    }
    val keys = options.mode match {
      case WriteMode.Upsert(names) => names
      case _                       => Nil
    }
    val problems = strange ++ this.problems(table, rows, keys, options.at.dialect) ++
      transactions(table, options.mode)
    if (problems.nonEmpty) throw JdbcErrors.table(options.at.table, options.database, problems)
    val columns = schema.fieldNames.toVector.flatMap(table.column(_)).map { column =>
      Column(column.name, quoted(column.name, sparks), column.jdbcType, column.typeName)
    }
    Target(options.database, options.at.table, columns, options.at.dialect)
  }

  /** Upserts repeat without transactions: the same rows are written again. */
  private def transactions(table: TargetTable, mode: WriteMode): Option[String] = mode match {
    case _: WriteMode.Upsert        => None
    case _: WriteMode.Transactional =>
      table.transactionProblem.map { problem =>
        s"Exactly-once inserts need a transaction, but $problem. Use a table with transactions, such as " +
          "ENGINE=InnoDB, or set keyColumns."
      }
  }

  /** Quotes a name like Spark's dialect; corrects dialects that do not escape the quotation mark in a name.
    */
  private[jdbc] def quoted(name: String, dialect: JdbcDialect): String = {
    val mark    = dialect.quoteIdentifier("").take(1)
    val forgets = mark.nonEmpty && dialect.quoteIdentifier(mark) == mark * 3
    dialect.quoteIdentifier(if (forgets) name.replace(mark, mark * 2) else name)
  }

  private def inspected(options: JdbcOptions, connector: ConnectionSource): TargetTable = {
    val connection =
      try connector.open()
      catch { case NonFatal(e) => throw JdbcErrors.unreachable(options.database, e) }
    try TargetTable.inspect(connection, options.at.table, options.at.dialect)
    catch {
      case e: java.sql.SQLException if FailureKind.of(e, options.at.dialect) == FailureKind.Transient =>
        throw JdbcErrors.unreachable(options.database, e)
      case e: java.sql.SQLException =>
        throw JdbcErrors.table(
          options.at.table,
          options.database,
          Seq(s"It cannot be read: ${JdbcErrors.messageOf(e).linesIterator.mkString(" ").stripSuffix(".")}.")
        )
    } finally {
      Try(connection.close())
      ()
    }
  }

  /** Returns the differences between rows and table, each as a sentence. */
  def problems(table: TargetTable, rows: Seq[RowColumn], keys: Seq[String], dialect: Dialect): Seq[String] =
    missing(table, rows) ++ types(table, rows, dialect) ++ unset(table, rows) ++ keyProblems(
      table,
      rows,
      keys
    )

  private def missing(table: TargetTable, rows: Seq[RowColumn]): Seq[String] = {
    val names = rows.map(_.name).filter(table.column(_).isEmpty)
    val twice = rows.flatMap(row => table.column(row.name).map(_.name -> row.name)).groupMap(_._1)(_._2)
    names.map(name =>
      s"It has no column '$name'; its columns are ${table.columns.map(_.name).mkString(", ")}."
    ) ++ twice.collect {
      case (column, several) if several.size > 1 =>
        s"${several.mkString("'", "' and '", "'")} of the rows are both its column '$column'."
    }
  }

  private def types(table: TargetTable, rows: Seq[RowColumn], dialect: Dialect): Seq[String] = for {
    row    <- rows if dialect.isTyped
    column <- table.column(row.name)
    if Known(column.jdbcType) && !row.family.accepts(column.jdbcType)
    // MySQL's driver reports TINYINT(1) as a bit, and such columns also accept numbers.
    if !(dialect == Dialect.MySql && column.jdbcType == Types.BIT && row.family == Family.Number)
  } yield s"Its column '${column.name}' is of type ${column.typeName}, and that of the rows is " +
    s"${row.typeName}."

  private def unset(table: TargetTable, rows: Seq[RowColumn]): Seq[String] = {
    val filled = rows.flatMap(row => table.column(row.name)).map(_.name).toSet
    table.columns
      .map(_.name)
      .filter(name => table.required(name) && !filled(name))
      .map(name => s"Its column '$name' cannot be null and has no default, and the rows do not have it.")
  }

  private def keyProblems(table: TargetTable, rows: Seq[RowColumn], keys: Seq[String]): Seq[String] = {
    val unknown = keys.filterNot(key => rows.exists(_.name.equalsIgnoreCase(key)))
    val found   = keys.flatMap(table.column(_)).map(_.name).toSet
    val unique  =
      if (keys.isEmpty || found.size < keys.size || table.keys.forall(_.contains(found))) Nil
      else
        Seq(
          s"The columns ${keys.mkString(", ")} are no primary key or unique index of it" +
            table.keys
              .filter(_.nonEmpty)
              .fold("")(_.map(_.mkString("(", ", ", ")")).mkString("; it has ", ", ", "")) +
            "."
        )
    unknown.map(key => s"The rows have no column '$key', which keyColumns names.") ++ unique
  }

  // Excludes database-specific types: the database itself checks their values.
  private val Known: Set[Int] =
    Seq(Family.Boolean, Family.Number, Family.Day, Family.Bytes, Family.Text).flatMap(_.accepts).toSet +
      Types.ARRAY + Types.TIME
}

/** A column of the rows. */
private[jdbc] final case class RowColumn(name: String, family: Family, typeName: String)
