// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.jdbc.{JdbcDialect, JdbcDialects}
import org.apache.spark.sql.types.StructType

/** What is checked before anything is written: that the database can be reached, and the table takes the rows. */
private[jdbc] object TableCheck {

  /** Errors: `STOPLOG_JDBC_UNREACHABLE`, `STOPLOG_JDBC_TABLE`. */
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
    val problems = strange ++ TableChecks.problems(table, rows, keys, options.at.dialect)
    if (problems.nonEmpty) throw JdbcErrors.table(options.at.table, options.database, problems)
    val columns = schema.fieldNames.toVector.flatMap(table.column(_)).map { column =>
      Column(column.name, quoted(column.name, sparks), column.jdbcType, column.typeName)
    }
    Target(options.database, options.at.table, columns, options.at.dialect)
  }

  /** As Spark's dialect does it, which forgets that a name may have the mark in it. */
  private[jdbc] def quoted(name: String, dialect: JdbcDialect): String = {
    val mark    = dialect.quoteIdentifier("").take(1)
    val forgets = mark.nonEmpty && dialect.quoteIdentifier(mark) == mark * 3
    dialect.quoteIdentifier(if (forgets) name.replace(mark, mark * 2) else name)
  }

  private def inspected(options: JdbcOptions, connector: ConnectionSource): TargetTable = {
    val connection =
      try connector.open()
      catch { case NonFatal(e) => throw JdbcErrors.unreachable(options.database, e) }
    try TargetTable.inspect(connection, options.at.table)
    catch {
      case e: java.sql.SQLException if Verdict.of(e, options.at.dialect) == Verdict.Transient =>
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
}
