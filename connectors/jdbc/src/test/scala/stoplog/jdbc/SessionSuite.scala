// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{Connection, PreparedStatement, SQLException}

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import stoplog.jdbc.client.{ConnectionSource, Session}

/** What befalls a connection while it is used. */
class SessionSuite extends AnyFunSuite {
  private val databases = Seq(TestDatabase.h2(), TestDatabase.derby())

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
