// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{Array => _, _}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.jdbc.client.{Dialect, FailureKind, JdbcErrors, RequestOptions, Retries}
import stoplog.thread.{StopSignal, Uninterrupted}

class FailureKindSuite extends AnyFunSuite {
  private def verdict(e: Throwable, dialect: Dialect = Dialect.PostgreSql) = FailureKind.of(e, dialect)
  private def state(sqlState: String, code: Int = 0) = new SQLException("x", sqlState, code)

  test("classifies errors as transient, bad row or fatal") {
    for (s <- Seq("08006", "40001", "40P01", "53300", "55P03", "57P01", "57P03"))
      assert(verdict(state(s)) === FailureKind.Transient, s)
    for (s <- Seq("22001", "23505", "21000", "44000", "P0001"))
      assert(verdict(state(s)) === FailureKind.BadRow, s)
    for (s <- Seq("42601", "28000", "0A000", null: String))
      assert(verdict(state(s)) === FailureKind.Fatal, s"$s")
    assert(verdict(new SQLTransientConnectionException("x")) === FailureKind.Transient)
    assert(verdict(new SQLRecoverableException("x")) === FailureKind.Transient)
    assert(verdict(new SQLIntegrityConstraintViolationException("x")) === FailureKind.BadRow)
    assert(verdict(new IllegalStateException("x")) === FailureKind.Fatal)
  }

  test("finds the cause inside batch exceptions and wrappers") {
    val batch = new BatchUpdateException("x", Array.empty[Int])
    batch.setNextException(state("23505"))
    assert(verdict(batch) === FailureKind.BadRow)
    assert(JdbcErrors.messageOf(batch) === "x")
    assert(verdict(new RuntimeException(state("08003"))) === FailureKind.Transient)
    batch.setNextException(state("40001"))
    assert(verdict(batch) === FailureKind.Transient)
  }

  test("classifies vendor-specific error codes") {
    assert(verdict(state(null, 5), Dialect.Sqlite) === FailureKind.Transient)
    assert(verdict(state(null, 2067), Dialect.Sqlite) === FailureKind.BadRow)
    assert(verdict(state("HY000", 1205), Dialect.MySql) === FailureKind.Transient)
    for (code <- Seq(1203, 1226))
      assert(verdict(state("42000", code), Dialect.MySql) === FailureKind.Transient)
    assert(verdict(state("HY000", 4031), Dialect.MySql) === FailureKind.Transient)
    for (code <- Seq(1265, 1366, 3819, 1526, 1118))
      assert(verdict(state("HY000", code), Dialect.MySql) === FailureKind.BadRow, code)
    assert(verdict(state("54000")) === FailureKind.BadRow)
    assert(verdict(state("40002")) === FailureKind.BadRow)
    def oracle(code: Int) = verdict(new SQLException(f"ORA-$code%05d: x", "72000", code), Dialect.Merge)
    for (code <- Seq(1, 1438, 2290, 12899, 20001)) assert(oracle(code) === FailureKind.BadRow, code)
    for (code <- Seq(54, 60, 3113, 12541)) assert(oracle(code) === FailureKind.Transient, code)
    assert(oracle(942) === FailureKind.Fatal)
  }

  /** https://docs.oracle.com/error-help/db */
  test("classifies the documented codes of Oracle") {
    def oracle(code: Int, more: String = "") =
      verdict(new SQLException(f"ORA-$code%05d: x$more", "72000", code), Dialect.Merge)
    for {
      (kind, codes) <- Seq(
        FailureKind.BadRow -> Seq(1, 1400, 1407, 2290, 2291, 1401, 1438, 1426, 12899, 1461, 1489, 1722, 1465,
          6502, 1402, 14400, 14401, 1830, 1839, 1840, 1841, 1843, 1847, 1848, 1849, 1850, 1851, 1858, 1861,
          1878, 40441, 20000, 20999),
        FailureKind.Transient -> Seq(18, 20, 54, 60, 8177, 30006, 1033, 1034, 1089, 1090, 1092, 3113, 3114,
          3135, 12514, 12516, 12518, 12519, 12520, 12528, 12537, 12541, 12570, 17002, 17008, 17410, 17447),
        // no table, no column, no right, a syntax error, no space
        FailureKind.Fatal -> Seq(942, 904, 1031, 900, 1653, 21000)
      )
      code <- codes
    } assert(oracle(code) === kind, code)
    // A COMMIT that finds a violated deferred constraint.
    def rolledBack(more: String) =
      verdict(new SQLException(s"ORA-02091: transaction rolled back\n$more", "40000", 2091), Dialect.Merge)
    assert(rolledBack("ORA-02291: integrity constraint (A.B) violated") === FailureKind.BadRow)
    assert(rolledBack("ORA-00060: deadlock detected") === FailureKind.Transient)
  }

  /** https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors */
  test("classifies the documented codes of SQL Server") {
    def sqlServer(code: Int) =
      verdict(new com.microsoft.sqlserver.jdbc.ServerFailure("x", "S0001", code), Dialect.Merge)
    for {
      (kind, codes) <- Seq(
        FailureKind.BadRow -> Seq(515, 547, 550, 2601, 2627, 2628, 8152, 1946, 511, 220, 232, 241, 242, 245,
          248, 295, 296, 8114, 8115, 8169, 9420, 50000, 51000),
        FailureKind.Transient -> Seq(1204, 1205, 1222, 3960, 701, 802, 8645, 8651, 921, 922, 6005, 17142,
          18401, 20, 64, 233, 10053, 10054, 10060, 10928, 10929, 40197, 40501, 40613, 49918, 49919, 49920),
        // no table, no column, no right, a syntax error, a full log; an ended transaction
        FailureKind.Fatal -> Seq(208, 207, 229, 102, 9002, 3609, 3930, 3931, 3998)
      )
      code <- codes
    } assert(sqlServer(code) === kind, code)
    // The same numbers mean other failures elsewhere.
    assert(verdict(state("S0001", 547), Dialect.Merge) === FailureKind.Fatal)
  }

  test("retries are limited in time, with random waits below a doubling limit") {
    val waits   = scala.collection.mutable.Buffer[Long]()
    val retries = limited(1000, waits)
    val failed  = intercept[RuntimeException](retries(new RuntimeException(_))(_ => throw state("40001")))
    assert(failed.getCause.getMessage === "x")
    assert(waits.sum >= 1000 && waits.init.sum < 1000 && retries.count === waits.size)
    val limits = Iterator.iterate(100L)(_ * 2)
    assert(waits.zip(limits).forall { case (wait, limit) => wait >= 1 && wait <= limit })
    var calls = 0
    intercept[SQLException](retries(new RuntimeException(_)) { _ =>
      calls += 1
      throw state("42601")
    })
    assert(calls === 1)
  }

  test("a stop ends the wait between two attempts, also in work that no interrupt reaches") {
    val stopped = new StopSignal {
      override def isStopped: Boolean = true
    }
    val retries = new Retries(RequestOptions(0, 3600000L), Dialect.Derby)
    var calls   = 0
    intercept[InterruptedException](StopSignal.during(stopped)(Uninterrupted.call {
      retries(new RuntimeException(_)) { _ =>
        calls += 1
        throw state("40001")
      }
    }))
    assert(calls === 1)
  }

  test("no wait exceeds 30 s, and a limit of 0 allows no retry") {
    val waits   = scala.collection.mutable.Buffer[Long]()
    val retries = limited(3600000, waits)
    intercept[RuntimeException](retries(new RuntimeException(_))(_ => throw state("40001")))
    assert(waits.max <= 30000 && waits.max > 10000)
    intercept[RuntimeException](limited(0, waits)(new RuntimeException(_))(_ => throw state("40001")))
    assert(limited(0, waits).count === 0)
  }

  /** Retries with a clock that only waits move. */
  private def limited(millis: Long, waits: scala.collection.mutable.Buffer[Long]): Retries =
    new Retries(RequestOptions(0, millis), Dialect.Derby, waits += _, () => waits.sum)
}
