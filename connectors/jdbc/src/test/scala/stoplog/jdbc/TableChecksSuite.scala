// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

class TableChecksSuite extends AnyFunSuite {
  private val ids   = RowColumn("ID", Family.Number, "bigint")
  private val words = RowColumn("word", Family.Text, "string")

  private val databases = Seq(TestDatabase.derby(), TestDatabase.h2())

  private def problems(database: TestDatabase, table: String, rows: Seq[RowColumn], keys: String*) = {
    val found = Using.resource(database.open())(TargetTable.inspect(_, table))
    TableChecks.problems(found, rows, keys, database.dialect)
  }

  for (database <- databases) {
    test(s"$database: rows that fit") {
      val table = database.newTable(", moment TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL")
      assert(problems(database, table, Seq(ids, words), "id") === Nil)
      assert(problems(database, table, Seq(ids)) === Nil)
    }

    test(s"$database: all that does not fit, at once") {
      val table = database.newTable(", must INT NOT NULL")
      val said  = problems(
        database,
        table,
        Seq(
          ids.copy(family = Family.Text, typeName = "string"),
          words,
          RowColumn("more", Family.Text, "string")
        ),
        "word",
        "none"
      ).mkString("\n")
      assert(said.contains("has no column 'more'"))
      assert(said.contains("and that of the rows is string"))
      assert(said.toLowerCase.contains("column 'must' cannot be null"))
      assert(said.contains("The rows have no column 'none'"))
    }

    test(s"$database: keys are a primary key or a unique index, whole and in any order") {
      val table = database.newTable(", a INT NOT NULL, b INT NOT NULL, UNIQUE (a, b)")
      val rows  = Seq(ids, words, RowColumn("a", Family.Number, "int"), RowColumn("b", Family.Number, "int"))
      assert(problems(database, table, rows, "b", "a") === Nil)
      assert(problems(database, table, rows, "a").mkString.contains("are no primary key or unique index"))
    }
  }

  test("a table in a schema, in the spelling of SQL") {
    val derby = databases.head
    derby.execute("CREATE SCHEMA s", "CREATE TABLE s.t (id BIGINT NOT NULL PRIMARY KEY)")
    assert(problems(derby, "s.t", Seq(ids), "id") === Nil)
    assert(problems(derby, "S.\"T\"", Seq(ids), "id") === Nil)
  }
}
