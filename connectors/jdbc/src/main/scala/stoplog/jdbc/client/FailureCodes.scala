// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.sql.SQLException

/** The failures of a database whose meaning the SQLSTATE does not contain. */
private[jdbc] trait FailureCodes {
  def kind(failure: SQLException): Option[FailureKind]
}

/** The documented error codes of databases. */
private[jdbc] object FailureCodes {

  /** Error codes of a database.
    *
    * @param transient codes of failures after which another attempt may succeed
    * @param badRow    codes of failures that a row causes
    */
  private final class Listed(transient: Set[Int], badRow: Set[Int]) {
    def kind(code: Int): Option[FailureKind] =
      if (transient(code)) Some(FailureKind.Transient)
      else if (badRow(code)) Some(FailureKind.BadRow)
      else None
  }

  /** 54000: a value is too large for an index or a page. */
  val PostgreSql: FailureCodes = failure => Option.when(failure.getSQLState == "54000")(FailureKind.BadRow)

  /** https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html and
    * https://mariadb.com/kb/en/mariadb-error-code-reference
    */
  val MySql: FailureCodes = failure => mySql.kind(failure.getErrorCode)

  private val mySql = new Listed(
    transient = Set(
      1020, // a row that another transaction has changed, with innodb_snapshot_isolation
      1203, // too many connections of the user
      1205, // lock wait timeout
      1213, // deadlock
      1226, // limit of the user, such as the number of connections
      4031  // connection closed after a long idle time
    ),
    badRow = Set(
      1118, // row too large for a page
      1153, // packet too large
      1265, // data truncated, such as a value that an ENUM does not list
      1292, // incorrect value of a date, a time or a number
      1366, // incorrect value for the column's type or character set
      1367, // illegal value
      1369, // CHECK OPTION of a view
      1525, // incorrect value
      1526, // no partition for the value
      1748, // row does not match the partitions
      3819, // CHECK constraint of MySQL
      4025  // CHECK constraint of MariaDB
    )
  )

  /** https://www.sqlite.org/rescode.html. The driver has no SQLSTATE. The low byte is the primary code. */
  val Sqlite: FailureCodes = failure => sqlite.kind(failure.getErrorCode & 0xff)

  // busy, locked; too big, constraint, mismatch
  private val sqlite = new Listed(transient = Set(5, 6), badRow = Set(18, 19, 20))

  /** Oracle and SQL Server, which share the dialect of the standard. */
  val Vendors: FailureCodes = failure =>
    failure match {
      case _ if OracleMessage.findPrefixOf(failure.getMessage + "").isDefined => oracle(failure)
      case _ if failure.getClass.getName.startsWith(SqlServerClasses) => sqlServer(failure.getErrorCode)
      case _                                                          => None
    }

  /** A COMMIT that finds a violated constraint reports the transaction first, and the constraint after it. */
  private def oracle(failure: SQLException): Option[FailureKind] =
    if (failure.getErrorCode != OracleRolledBack) oracle(failure.getErrorCode)
    else OracleMessage.findAllMatchIn(failure.getMessage).flatMap(m => oracle(m.group(1).toInt)).nextOption()

  private def oracle(code: Int): Option[FailureKind] =
    if (code >= 20000 && code <= 20999) Some(FailureKind.BadRow) // RAISE_APPLICATION_ERROR of a trigger
    else oracleCodes.kind(code)

  /** https://docs.oracle.com/error-help/db */
  private val oracleCodes = new Listed(
    transient = Set(
      18, 20,                                   // too many sessions or processes
      54, 60, 8177, 30006,                      // locked, deadlock, serialization
      1033, 1034, 1089, 1090, 1092,             // the server stops or starts
      3113, 3114, 3135, 12514, 12516, 12518,    // connection lost; listener
      12519, 12520, 12528, 12537, 12541, 12570, //
      17002, 17008, 17410, 17447                // connection of the driver
    ),
    badRow = Set(
      1, 1400, 1407, 2290, 2291,                // unique, NOT NULL, CHECK, foreign key
      1401, 1438, 1426, 12899, 1461, 1489,      // too large
      1722, 1465, 6502,                         // no number; no hexadecimal text; value error
      1402, 14400, 14401,                       // CHECK OPTION of a view; partitions
      1830, 1839, 1840, 1841, 1843, 1847, 1848, // dates and times
      1849, 1850, 1851, 1858, 1861, 1878,       //
      40441                                     // JSON
    )
  )

  private def sqlServer(code: Int): Option[FailureKind] =
    if (code >= 50000) Some(FailureKind.BadRow) // THROW or RAISERROR of a trigger
    else sqlServerCodes.kind(code)

  /** https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors */
  private val sqlServerCodes = new Listed(
    transient = Set(
      1204, 1205, 1222, 3960,                                // locks, deadlock, snapshot
      701, 802, 8645, 8651,                                  // memory
      921, 922, 6005, 17142, 18401,                          // the server stops or starts
      20, 64, 233, 10053, 10054, 10060,                      // connection
      10928, 10929, 40197, 40501, 40613, 49918, 49919, 49920 // resources of Azure
    ),
    badRow = Set(
      515, 547, 550, 2601, 2627,              // NOT NULL, CHECK and foreign key, CHECK OPTION, unique
      2628, 8152, 1946, 511,                  // too large
      220, 232, 241, 242, 245, 248, 295, 296, // conversion
      8114, 8115, 8169, 9420                  // overflow, uniqueidentifier, XML
    )
  )

  /** Returns true for an error after which SQL Server has no transaction, or accepts only a rollback. This is
    * not a kind: a trigger that ends the transaction of a single batch refuses a row of the batch.
    */
  def endsOnSqlServer(failure: SQLException): Boolean =
    failure.getClass.getName.startsWith(SqlServerClasses) && Set(3609, 3930, 3931, 3998)(failure.getErrorCode)

  private val OracleMessage          = "ORA-(\\d{1,6})".r
  private final val OracleRolledBack = 2091
  private final val SqlServerClasses = "com.microsoft.sqlserver."
}
