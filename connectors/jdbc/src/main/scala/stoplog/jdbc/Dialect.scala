// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.SQLException

/** The SQL of a database for the sink's requests that standard SQL does not cover.
  *
  * @param word as the option `dialect` spells it
  */
private[jdbc] sealed abstract class Dialect(val word: String) extends Product with Serializable {

  /** Whether URLs of this kind are this dialect's. */
  def handles(url: String): Boolean

  /** Inserts a row, or updates the one that has its key. All names are quoted. */
  def upsert(table: String, columns: Seq[String], keys: Seq[String]): Statement

  /** Whether [[upsert]] of a new key fails if another transaction inserts that key at the same time: then it is there, and the
    * next try updates it.
    */
  def insertsBlindly: Boolean = false

  /** The same for many rows at once, if that is quicker and the columns are of such types. */
  def upsertMany(table: String, columns: Seq[Column], keys: Seq[String]): Option[Columnwise] = None

  /** A new, empty table with the columns of a query, which ends in its FROM clause. */
  def createLike(table: String, query: String): String = s"CREATE TABLE $table AS $query WHERE 1 = 0"

  /** Whether [[createLike]] keeps more of a column than the description of a result tells, so that two tables cannot be compared by
    * that.
    */
  def keepsMore: Boolean = false

  /** Sets how long a connection waits for a table that another one uses, where that is days by default. */
  def boundedWait: Option[String] = None

  /** The name of a column's type as [[createLike]] makes it. */
  def plainType(name: String): String = name

  /** A text of a fixed greatest length. */
  def text(value: String, length: Int): String = s"CAST('$value' AS VARCHAR($length))"

  def wholeNumber: String = "CAST(0 AS BIGINT)"

  /** Properties of the driver without which it sends a batch row by row. */
  def driverDefaults: Map[String, String] = Map.empty

  /** By which URL Spark knows how names are quoted and types are called. */
  def sparkUrl(url: String): String = url

  /** Whether columns have types that rows can be held against. */
  def isTyped: Boolean = true

  /** The meaning of failures of this database that SQLSTATE does not tell. */
  def verdict(failure: SQLException): Option[Verdict] = None
}

/** SQL with the columns, by their places in a row, whose values its parameters take in turn. */
private[jdbc] final case class Statement(sql: String, parameters: Seq[Int]) {
  private[this] val places = parameters.toArray

  /** Once for each row, in a transaction of the caller. */
  def execute(session: Session, columns: IndexedSeq[Column], rows: Iterable[JdbcRow]): Unit = {
    val statement = session.statement(sql)
    Batches.execute(statement, rows) { row =>
      var i = 0
      while (i < places.length) {
        columns(places(i)).bind(statement, i + 1, row.values(places(i)))
        i += 1
      }
    }
  }
}

private[jdbc] object Dialect {

  case object Derby extends Dialect("derby") {
    override def handles(url: String): Boolean = url.startsWith("jdbc:derby:")

    override def upsert(table: String, columns: Seq[String], keys: Seq[String]): Statement =
      Upserts.merge(table, "sysibm.sysdummy1", columns, keys)

    override def insertsBlindly: Boolean = true

    override def createLike(table: String, query: String): String =
      s"CREATE TABLE $table AS $query WITH NO DATA"
  }

  case object PostgreSql extends Dialect("postgresql") {
    override def handles(url: String): Boolean = url.startsWith("jdbc:postgresql:")

    override def upsert(table: String, columns: Seq[String], keys: Seq[String]): Statement =
      Upserts.onConflict(table, columns, keys)

    override def upsertMany(table: String, columns: Seq[Column], keys: Seq[String]): Option[Columnwise] =
      Columnwise.upsert(table, columns, keys)

    override def driverDefaults: Map[String, String] = Map("reWriteBatchedInserts" -> "true")

    // Its driver calls the type of a column so that is counted up.
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

    override def upsert(table: String, columns: Seq[String], keys: Seq[String]): Statement =
      Upserts.onDuplicateKey(table, columns, keys)

    // NOT NULL, which some drivers do not tell, defaults and character sets.
    override def keepsMore: Boolean = true

    override def boundedWait: Option[String] = Some("SET SESSION lock_wait_timeout = 50")

    override def text(value: String, length: Int): String = s"CAST('$value' AS CHAR($length))"

    override def wholeNumber: String = "CAST(0 AS SIGNED)"

    // Spark takes MariaDB, by its own name, for a database that it does not know.
    override def sparkUrl(url: String): String = "jdbc:mysql:"

    override def driverDefaults: Map[String, String] = Map("rewriteBatchedStatements" -> "true")

    override def verdict(failure: SQLException): Option[Verdict] = failure.getErrorCode match {
      case LockWaitTimeout | Deadlock => Some(Verdict.Transient)
      case IncorrectValue             => Some(Verdict.BadRow)
      case _                          => None
    }

    private final val LockWaitTimeout = 1205
    private final val Deadlock        = 1213
    private final val IncorrectValue  = 1366
  }

  case object Sqlite extends Dialect("sqlite") {
    override def handles(url: String): Boolean = url.startsWith("jdbc:sqlite:")

    override def upsert(table: String, columns: Seq[String], keys: Seq[String]): Statement =
      Upserts.onConflict(table, columns, keys)

    override def isTyped: Boolean = false

    // Its driver gives no SQLSTATE. The low byte is the primary result code.
    override def verdict(failure: SQLException): Option[Verdict] = failure.getErrorCode & 0xff match {
      case Busy | Locked                  => Some(Verdict.Transient)
      case TooBig | Constraint | Mismatch => Some(Verdict.BadRow)
      case _                              => None
    }

    private final val Busy       = 5
    private final val Locked     = 6
    private final val TooBig     = 18
    private final val Constraint = 19
    private final val Mismatch   = 20
  }

  /** Any other database that has MERGE of the SQL standard. */
  case object Merge extends Dialect("merge") {
    override def handles(url: String): Boolean = true

    override def upsert(table: String, columns: Seq[String], keys: Seq[String]): Statement =
      Upserts.merge(table, "(VALUES (1))", columns, keys, alias = "stoplog_s (stoplog_one)")

    override def insertsBlindly: Boolean = true
  }

  /** The last one handles every URL. */
  val all: Seq[Dialect] = Seq(Derby, PostgreSql, MySql, Sqlite, Merge)

  def of(url: String): Dialect = all.find(_.handles(url)).getOrElse(Merge)
}
