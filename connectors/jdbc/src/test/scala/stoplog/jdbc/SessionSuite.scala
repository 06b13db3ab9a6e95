// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{Connection, PreparedStatement, SQLException}

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import stoplog.jdbc.client.{ConnectionSource, Dialect, FailureKind, Session}

/** What befalls a connection while it is used. */
class SessionSuite extends AnyFunSuite {
  private val databases = Seq(TestDatabase.h2(), TestDatabase.derby())

  test("a failed rollback to a savepoint is never a bad row, and a deadlock behind it is retried") {
    for (
      (refused, dialect, kind) <- Seq(
        (new SQLException("duplicate key", "23505"), Dialect.PostgreSql, FailureKind.Fatal),
        (new SQLException("deadlock", "40001", 1213), Dialect.MySql, FailureKind.Transient)
      )
    ) {
      val lost   = new SQLException("no such savepoint", "3B001")
      val thrown = failed(refused, Some(lost))
      assert(thrown eq lost)
      assert(thrown.getSuppressed.toSeq === Seq(refused))
      assert(FailureKind.of(thrown, dialect) === kind)
    }
  }

  test("an error that ends the transaction is no bad row within a savepoint") {
    val rolledBack = new SQLException("constraint", "40002")
    val ofTrigger  = new com.microsoft.sqlserver.jdbc.ServerFailure("refused", "S0001", 50000)
    ofTrigger.setNextException(new com.microsoft.sqlserver.jdbc.ServerFailure("ended", "S0001", 3609))
    for (refused <- Seq(rolledBack, ofTrigger)) {
      assert(FailureKind.of(refused, Dialect.Merge) === FailureKind.BadRow)
      val thrown = failed(refused, lost = None)
      assert(thrown.getSuppressed.toSeq === Seq(refused))
      assert(FailureKind.of(thrown, Dialect.Merge) === FailureKind.Fatal)
    }
  }

  /** Returns the error of a savepoint whose work fails.
    *
    * @param lost the failure of the rollback to the savepoint
    */
  private def failed(refused: SQLException, lost: Option[SQLException]): SQLException = {
    val session = new Session(
      () =>
        JdbcProxy.calls[Connection](TestDatabase.h2().open()) {
          case ("rollback", Seq(_)) if lost.isDefined => throw lost.get
        },
      queryTimeoutSeconds = 0
    )
    def refuse(): Unit = throw refused
    try intercept[SQLException](session.transaction(_ => session.savepoint(refuse())))
    finally session.close()
  }

  for (database <- databases) {
    test(s"$database: failures roll back, and closing rolls back open work") {
      val calls   = mutable.Buffer.empty[String]
      val session = new Session(
        () => {
          val real = database.open()
          JdbcProxy[Connection](real)(Function.unlift { (call: String) =>
            if (Set("commit", "rollback", "close")(call)) calls += call
            None
          })
        },
        queryTimeoutSeconds = 0
      )
      intercept[LinkageError](session.transaction(_ => throw new LinkageError("a class is missing")))
      assert(calls === Seq("rollback"))
      session.transaction(_ => ())
      session.close()
      assert(calls === Seq("rollback", "commit", "rollback", "close"))
    }

    test(s"$database: a concurrent insert of the same key is retried, not a bad row") {
      val table = database.newTable()
      val tries = mutable.Buffer.empty[String]

      def merging(real: PreparedStatement) =
        JdbcProxy[PreparedStatement](real)(Function.unlift { (call: String) =>
          if (call == "executeBatch") {
            tries += call
            if (tries.size == 1) throw new SQLException("duplicate key", "23505")
          }
          None
        })
      val racing: ConnectionSource = () => {
        val real = database.open()
        JdbcProxy.calls[Connection](real) {
          case ("prepareStatement", Seq(sql: String)) if sql.startsWith("MERGE") =>
            merging(real.prepareStatement(sql))
        }
      }
      val done = new JdbcSinkFixture(database, table, racing, reject = true).upsert(1L -> "a")
      assert((done.rows, done.rejects, tries.size) === ((1L, 0L, 2)))
      assert(database.rows(s"SELECT word FROM $table") === Seq(Seq("a")))
    }
  }
}
