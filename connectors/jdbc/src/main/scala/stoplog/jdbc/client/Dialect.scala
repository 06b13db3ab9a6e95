// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.sql.{Connection, SQLException}
import java.time.ZoneId

import scala.util.Using

import stoplog.jdbc.rows.Column
import stoplog.jdbc.types.{DriverForms, Moments}

/** The SQL of a database for requests of the sink that standard SQL does not cover.
  *
  * @param word the value of the option `dialect`
  */
private[jdbc] sealed abstract class Dialect(val word: String)
    extends FailureCodes
    with Product
    with Serializable {

  /** The forms of values that the driver expects.
    *
    * @param zone the zone of local times that stand for points in time
    */
  final def forms(zone: ZoneId): DriverForms = DriverForms(moments, arrays, zone)

  protected def moments: Moments = Moments.JavaTime

  protected def arrays: DriverForms.Arrays = DriverForms.Arrays.OfDriver

  /** Returns true for URLs of this dialect. */
  def handles(url: String): Boolean

  /** Inserts a row, or updates the row with the same key. All names are quoted. */
  def upsert(table: String, columns: Seq[String], key: UpsertKey): Statement

  /** True if [[upsert]] updates the row that is equal in any unique key of the table. */
  def updatesAnyKey: Boolean = false

  /** True if [[upsert]] of a new key fails when another transaction inserts this key at the same time. The
    * row then exists, and the next attempt updates the row.
    */
  def insertsBlindly: Boolean = false

  /** Returns a statement that upserts many rows at once, if this is faster and supports the columns' types.
    */
  def upsertMany(table: String, columns: Seq[Column], key: UpsertKey): Option[Columnwise] = None

  /** Returns a statement like [[Columnwise.numbered]], if this is faster and supports the columns' types. */
  def insertNumbered(
      table: String,
      text: String,
      number: String,
      columns: Seq[Column]
  ): Option[Columnwise] = None

  /** Returns the statements that empty a table of the sink in a transaction, without a wait for other
    * transactions, if this is faster than a DELETE of many rows.
    */
  def truncateAtOnce(table: String): Option[Seq[String]] = None

  /** Creates an empty table with the columns of a query; the query ends in its FROM clause. */
  def createLike(table: String, query: String): String = s"CREATE TABLE $table AS $query WHERE 1 = 0"

  /** Completes the statement that creates one of the sink's own tables, so that the table supports
    * transactions and all characters regardless of the server's defaults.
    */
  def ownTable(create: String): String = create

  /** Returns the reason why a table does not take part in transactions, as a clause about the table. */
  def transactionProblem(connection: Connection, table: String): Option[String] =
    Option.when(!connection.getMetaData.supportsTransactions)("the database has no transactions")

  /** True if [[createLike]] copies properties of a column that result metadata does not contain. Such tables
    * cannot be compared by metadata.
    */
  def keepsMore: Boolean = false

  /** Returns a statement that checks deferred constraints now instead of at the COMMIT. */
  def checkConstraints: Option[String] = None

  /** Returns a statement that limits the wait for a locked table, for databases whose default is days. */
  def boundedWait: Option[String] = None

  /** Returns the name of the column type that [[createLike]] creates for a type. */
  def plainType(name: String): String = name

  /** Returns an expression for a text with a fixed maximum length. */
  def text(value: String, length: Int): String = s"CAST('$value' AS VARCHAR($length))"

  def wholeNumber: String = "CAST(0 AS BIGINT)"

  /** Driver properties that are required for true batches; without them, the driver sends a batch row by row.
    */
  def driverDefaults: Map[String, String] = Map.empty

  /** Returns the URL by which Spark chooses the quoting of names and the names of types. */
  def sparkUrl(url: String): String = url

  /** True if columns have types that rows can be checked against. */
  def isTyped: Boolean = true

  override def kind(failure: SQLException): Option[FailureKind] = None
}

private[jdbc] object Dialect {

  case object Derby extends Dialect("derby") {
    override def handles(url: String): Boolean = url.startsWith("jdbc:derby:")

    override protected def moments: Moments = Moments.DerbyTexts

    override def upsert(table: String, columns: Seq[String], key: UpsertKey): Statement =
      Upserts.merge(table, "sysibm.sysdummy1", columns, key)

    override def insertsBlindly: Boolean = true

    override def createLike(table: String, query: String): String =
      s"CREATE TABLE $table AS $query WITH NO DATA"

    override def checkConstraints: Option[String] = Some("SET CONSTRAINTS ALL IMMEDIATE")
  }

  case object PostgreSql extends Dialect("postgresql") {
    override def handles(url: String): Boolean = url.startsWith("jdbc:postgresql:")

    override protected def arrays: DriverForms.Arrays = DriverForms.Arrays.AsText

    override def upsert(table: String, columns: Seq[String], key: UpsertKey): Statement =
      Upserts.onConflict(table, columns, key)

    override def upsertMany(table: String, columns: Seq[Column], key: UpsertKey): Option[Columnwise] =
      Columnwise.upsert(table, columns, key)

    override def insertNumbered(
        table: String,
        text: String,
        number: String,
        columns: Seq[Column]
    ): Option[Columnwise] = Columnwise.numbered(table, text, number, columns)

    override def truncateAtOnce(table: String): Option[Seq[String]] =
      Some(Seq(s"LOCK TABLE $table IN ACCESS EXCLUSIVE MODE NOWAIT", s"TRUNCATE TABLE $table"))

    override def driverDefaults: Map[String, String] = Map("reWriteBatchedInserts" -> "true")

    override def kind(failure: SQLException): Option[FailureKind] = FailureCodes.PostgreSql.kind(failure)

    override def checkConstraints: Option[String] = Some("SET CONSTRAINTS ALL IMMEDIATE")

    // The driver reports the types of auto-increment columns under these names.
    override def plainType(name: String): String = name match {
      case "smallserial" => "int2"
      case "serial"      => "int4"
      case "bigserial"   => "int8"
      case other         => other
    }
  }

  case object MySql extends Dialect("mysql") {
    override def handles(url: String): Boolean =
      url.startsWith("jdbc:mysql:") || url.startsWith("jdbc:mariadb:")

    override def upsert(table: String, columns: Seq[String], key: UpsertKey): Statement =
      Upserts.onDuplicateKey(table, columns, key)

    override def updatesAnyKey: Boolean = true

    override def createLike(table: String, query: String): String =
      s"CREATE TABLE $table ENGINE=InnoDB AS $query WHERE 1 = 0"

    // The database may have another character set, which lacks characters of a rejected row.
    override def ownTable(create: String): String =
      s"$create ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"

    /** A rollback keeps the rows of tables in engines such as MyISAM and Aria. */
    override def transactionProblem(connection: Connection, table: String): Option[String] = {
      val at = TableName.located(table, connection)
      Using.resource(connection.prepareStatement(EngineOfTable)) { statement =>
        statement.setString(1, at.mySqlDatabase.orNull)
        statement.setString(2, at.name)
        val result = statement.executeQuery()
        if (!result.next()) Some("the database does not report its engine")
        else if (result.getString(1) == null) Some("it is a view, whose engine the database does not report")
        else
          Option.when(!"YES".equalsIgnoreCase(result.getString(2)))(
            s"its engine ${result.getString(1)} has no transactions"
          )
      }
    }

    // NOT NULL, which some drivers do not report, defaults and character sets.
    override def keepsMore: Boolean = true

    override def boundedWait: Option[String] = Some("SET SESSION lock_wait_timeout = 50")

    override def text(value: String, length: Int): String = s"CAST('$value' AS CHAR($length))"

    override def wholeNumber: String = "CAST(0 AS SIGNED)"

    // Spark does not recognize MariaDB under its own name.
    override def sparkUrl(url: String): String = "jdbc:mysql:"

    override def driverDefaults: Map[String, String] = Map("rewriteBatchedStatements" -> "true")

    override def kind(failure: SQLException): Option[FailureKind] = FailureCodes.MySql.kind(failure)

    private final val EngineOfTable =
      "SELECT t.engine, e.transactions FROM information_schema.tables t " +
        "LEFT JOIN information_schema.engines e ON e.engine = t.engine " +
        "WHERE t.table_schema = COALESCE(?, DATABASE()) AND t.table_name = ?"
  }

  case object Sqlite extends Dialect("sqlite") {
    override def handles(url: String): Boolean = url.startsWith("jdbc:sqlite:")

    override def upsert(table: String, columns: Seq[String], key: UpsertKey): Statement =
      Upserts.onConflict(table, columns, key)

    override def isTyped: Boolean = false

    override def kind(failure: SQLException): Option[FailureKind] = FailureCodes.Sqlite.kind(failure)
  }

  /** Any other database that supports the SQL standard's MERGE. */
  case object Merge extends Dialect("merge") {
    override def handles(url: String): Boolean = true

    override def upsert(table: String, columns: Seq[String], key: UpsertKey): Statement =
      Upserts.merge(table, "(VALUES (1))", columns, key, alias = "stoplog_s (stoplog_one)")

    override def insertsBlindly: Boolean = true

    override def kind(failure: SQLException): Option[FailureKind] = FailureCodes.Vendors.kind(failure)
  }

  /** The last dialect handles every URL. */
  val all: Seq[Dialect] = Seq(Derby, PostgreSql, MySql, Sqlite, Merge)

  def of(url: String): Dialect = all.find(_.handles(url)).getOrElse(Merge)
}
