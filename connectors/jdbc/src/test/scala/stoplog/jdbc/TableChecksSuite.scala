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
    TableCheck.problems(found, rows, keys, database.dialect)
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

  test("another table whose name is a match for this one's, taken for a pattern, has no say") {
    for (database <- databases) {
      database.execute(
        "CREATE SCHEMA a_b", "CREATE SCHEMA axb", "CREATE TABLE a_b.my_t (id BIGINT NOT NULL PRIMARY KEY)",
        "CREATE TABLE a_b.myxt (id BIGINT NOT NULL PRIMARY KEY, other INT NOT NULL)",
        "CREATE TABLE axb.my_t (id BIGINT NOT NULL PRIMARY KEY, more INT NOT NULL)"
      )
      assert(problems(database, "a_b.my_t", Seq(ids), "id") === Nil)
    }
  }

  test("a name is quoted with the marks that are in it") {
    for (database <- databases) {
      val dialect = org.apache.spark.sql.jdbc.JdbcDialects.get(database.url)
      val name    = TableCheck.quoted("a\"b.c", dialect)
      database.execute(s"CREATE TABLE q ($name INT)", s"INSERT INTO q ($name) VALUES (1)")
      assert(
        Using.resource(database.open())(TargetTable.inspect(_, "q")).columns.map(_.name) === Seq("a\"b.c")
      )
    }
  }

  test("a table in a schema, in the spelling of SQL") {
    val derby = databases.head
    derby.execute("CREATE SCHEMA s", "CREATE TABLE s.t (id BIGINT NOT NULL PRIMARY KEY)")
    assert(problems(derby, "s.t", Seq(ids), "id") === Nil)
    assert(problems(derby, "S.\"T\"", Seq(ids), "id") === Nil)
  }
}
