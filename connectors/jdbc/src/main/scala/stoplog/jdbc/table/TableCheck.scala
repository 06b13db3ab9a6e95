// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.table

import java.sql.{Connection, SQLException, Types}
import java.time.ZoneId

import scala.util.{Try, Using}
import scala.util.control.NonFatal

import org.apache.spark.sql.jdbc.{JdbcDialect, JdbcDialects}
import org.apache.spark.sql.types._

import stoplog.jdbc.client.{ConnectionSource, Dialect, FailureKind, JdbcErrors, Retries}
import stoplog.jdbc.options.{DatabaseTable, JdbcOptions, WriteMode}
import stoplog.jdbc.rows.Column
import stoplog.jdbc.types.ColumnType
import stoplog.jdbc.types.ColumnType.{
  Affine, JsonBytes, Labels, ListOf, NoAffinity, Parsed, TextAffinity, Year
}
import stoplog.jdbc.types.ValueRule
import stoplog.util.ColumnNames

/** Checks before the first write: the database responds, and the table accepts the rows. */
private[jdbc] object TableCheck {

  /** Returns the checked target. Waits for a database that restarts, within `retryTimeout`.
    *
    * Errors: `STOPLOG_UNREACHABLE`, `STOPLOG_ROW_COLUMNS`.
    */
  def target(options: JdbcOptions, schema: StructType, connector: ConnectionSource): Target =
    new Retries(options.requests, options.at.dialect)(identity)(_ => checked(options, schema, connector))

  private def checked(options: JdbcOptions, schema: StructType, connector: ConnectionSource): Target = {
    val dialect = options.at.dialect
    val rows    = schema.fields.toSeq.map(field => RowColumn(field.name, field.dataType))
    val keys    = options.mode match {
      case WriteMode.Upsert(names, _) => names
      case _                          => Nil
    }
    val quoting = JdbcDialects.get(options.sparkUrl)
    inspected(options, connector) { (connection, table) =>
      val problems =
        this.problems(table, rows, keys, dialect) ++ versions(table, rows, options.mode) ++
          transactions(table, options.mode) ++
          Catalog.sessionProblems(connection, dialect, table, written(table, rows))
      val columns = rows.flatMap(row => table.column(row.name)).toVector.map { column =>
        Column(
          column.name,
          quoted(column.name, quoting),
          bindingType(column, dialect),
          column.typeName,
          column.catalog.columnType
        )
      }
      val all = if (problems.isEmpty) refusedInsert(connection, options.at, columns).toSeq else problems
      if (all.nonEmpty) throw JdbcErrors.table(options.at.table, options.database, all)
      Target(options.database, options.at.table, columns, dialect)
    }
  }

  /** Returns the name as the rows have it; a name that the rows lack is returned unchanged. */
  private def ofRows(rows: Seq[RowColumn], name: String): String =
    ColumnNames.index(rows.map(_.name), name).fold(name)(rows(_).name)

  /** Executes an insert of no rows, which databases reject for columns that only they fill. */
  private def refusedInsert(
      connection: Connection,
      at: DatabaseTable,
      columns: Seq[Column]
  ): Option[String] = {
    val names = columns.map(_.quoted).mkString(", ")
    connection.setAutoCommit(false)
    try {
      Using.resource(connection.createStatement()) {
        _.executeUpdate(s"INSERT INTO ${at.table} ($names) SELECT $names FROM ${at.table} WHERE 1 = 0")
      }
      None
    } catch {
      case e: SQLException if FailureKind.of(e, at.dialect) != FailureKind.Transient =>
        Some(s"It accepts no rows with these columns: ${sentence(e)}.")
    } finally connection.rollback()
  }

  private def written(table: TargetTable, rows: Seq[RowColumn]): Seq[ColumnType] =
    rows.flatMap(row => table.column(row.name)).map(_.catalog.columnType)

  /** Returns the type by which the driver sends values and nulls. */
  private def bindingType(column: TargetColumn, dialect: Dialect): Int =
    (column.catalog.columnType, dialect) match {
      // The server determines the type of such a parameter.
      case (_: Parsed | _: ListOf, Dialect.PostgreSql) => Types.OTHER
      case (_: Parsed | _: Labels, _)                  => Types.VARCHAR
      case (JsonBytes, _)                              => Types.VARBINARY
      case (Year, _)                                   => Types.INTEGER
      case _                                           => column.jdbcType
    }

  /** The database and the sink must order versions in the same way, so that texts are no versions. */
  private def versions(table: TargetTable, rows: Seq[RowColumn], mode: WriteMode): Option[String] =
    mode match {
      case WriteMode.Upsert(keys, Some(version)) =>
        val name      = ofRows(rows, version)
        val spark     = rows.find(_.name == name).map(_.dataType)
        val isOrdered = spark.exists {
          case _: DecimalType | ByteType | ShortType | IntegerType | LongType => true
          case DateType | TimestampType | TimestampNTZType                    => true
          case _                                                              => false
        }
        // SQLite stores the numbers, or only the decimals, of these columns as texts.
        val isText = table.column(name).map(_.catalog.columnType).exists {
          case Affine(TextAffinity) => true
          case Affine(NoAffinity)   => spark.exists(_.isInstanceOf[DecimalType])
          case _                    => false
        }
        Option.when(!isOrdered || isText || keys.map(ofRows(rows, _)).contains(name))(
          s"The versionColumn '$name' must be a column of numbers, dates or timestamps, and no key column."
        )
      case _ => None
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

  private def inspected[A](options: JdbcOptions, connector: ConnectionSource)(
      use: (Connection, TargetTable) => A
  ): A = {
    val connection =
      try connector.open()
      catch { case NonFatal(e) => throw JdbcErrors.unreachable(options.database, e) }
    try use(connection, TargetTable.inspect(connection, options.at.table, options.at.dialect))
    catch {
      case e: SQLException if FailureKind.of(e, options.at.dialect) == FailureKind.Transient =>
        throw JdbcErrors.unreachable(options.database, e)
      case e: SQLException =>
        throw JdbcErrors.table(options.at.table, options.database, Seq(s"It cannot be read: ${sentence(e)}."))
    } finally {
      Try(connection.close())
      ()
    }
  }

  private def sentence(e: Throwable): String =
    JdbcErrors.messageOf(e).linesIterator.mkString(" ").stripSuffix(".")

  /** Returns the differences between rows and table, each as a sentence. */
  def problems(table: TargetTable, rows: Seq[RowColumn], keys: Seq[String], dialect: Dialect): Seq[String] =
    missing(table, rows) ++ types(table, rows, dialect) ++ unset(table, rows) ++ {
      val names = keys.map(ofRows(rows, _))
      keyProblems(table, rows, names) ++ otherKeys(table, rows, names, dialect)
    }

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
    row     <- rows
    column  <- table.column(row.name)
    problem <-
      if (column.catalog.source == ValueSource.Computed)
        Some(s"The database computes its column '${column.name}'.")
      else
        ValueRule
          .of(row.dataType, column.catalog.columnType, dialect.forms(ZoneId.systemDefault))
          .left
          .toOption
          .map { why =>
            s"Its column '${column.name}' is of type ${column.typeName}, and the column of the rows is " +
              s"${row.dataType.simpleString}${if (why.isEmpty) "" else s": $why"}."
          }
  } yield problem

  private def unset(table: TargetTable, rows: Seq[RowColumn]): Seq[String] = {
    val filled = rows.flatMap(row => table.column(row.name)).map(_.name).toSet
    table.columns
      .map(_.name)
      .filter(name => table.required(name) && !filled(name))
      .map(name => s"Its column '$name' cannot be null and has no default, and the rows do not have it.")
  }

  private def keyProblems(table: TargetTable, rows: Seq[RowColumn], keys: Seq[String]): Seq[String] = {
    val unknown = keys.filterNot(key => rows.exists(_.name == key))
    val found   = keys.flatMap(table.column(_)).map(_.name).toSet
    val unique  =
      if (keys.isEmpty || found.size < keys.size || table.keys.forall(_.contains(found))) Nil
      else
        Seq(
          s"The columns ${keys.mkString(", ")} are not a primary key or unique index of the table" +
            table.keys
              .filter(_.nonEmpty)
              .fold("")(_.map(_.mkString("(", ", ", ")")).mkString("; it has ", ", ", "")) +
            "."
        )
    val deferred = Option.when(keys.nonEmpty && table.deferrableKeys.contains(found))(
      s"Its key ${keys.mkString("(", ", ", ")")} is deferrable, so that the database may accept two rows of a " +
        "key until the commit: use a key that is not deferrable."
    )
    unknown.map(key => s"The rows have no column '$key', which keyColumns names.") ++ unique ++ deferred
  }

  /** Returns the other keys by which an upsert of MySQL would update the row of another key. A key that
    * contains all key columns finds the same row, and the next number of the database finds no row.
    */
  private def otherKeys(
      table: TargetTable,
      rows: Seq[RowColumn],
      keys: Seq[String],
      dialect: Dialect
  ): Seq[String] = {
    val found    = keys.flatMap(table.column(_)).map(_.name).toSet
    val filled   = rows.flatMap(row => table.column(row.name)).map(_.name).toSet
    val assigned = table.columns.filter(_.catalog.source == ValueSource.Numbered).map(_.name).toSet -- filled
    val others   = table.keys.getOrElse(Nil).distinct.filterNot { key =>
      found.subsetOf(key) || key.exists(assigned)
    }
    if (found.isEmpty || !dialect.updatesAnyKey) Nil
    else
      others.map { key =>
        s"It has another unique key ${key.mkString("(", ", ", ")")}, by which the database would update rows " +
          "with other values in keyColumns: drop this key, or insert the rows without keyColumns."
      }
  }
}

/** A column of the rows. */
private[jdbc] final case class RowColumn(name: String, dataType: DataType)
