// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.file.{Files, Path}
import java.sql.{Connection, DriverManager}
import java.util.UUID

import scala.util.Using

import org.apache.spark.sql.jdbc.JdbcDialects

import stoplog.jdbc.client.{ConnectionSource, Dialect}
import stoplog.jdbc.rows.Column
import stoplog.jdbc.table.{Target, TargetTable}
import stoplog.servers.ServerProcess

/** A database of the tests, looked at by plain JDBC.
  *
  * @param text what it calls a text
  */
final class TestDatabase(val name: String, val url: String, val text: String = "VARCHAR(100)") {
  def dialect: Dialect = Dialect.of(url)

  def open(): Connection = DriverManager.getConnection(url)

  def connector: ConnectionSource = TestDatabase.Plain(url)

  def execute(sql: String*): Unit = Using.resource(open()) { connection =>
    Using.resource(connection.createStatement())(statement => sql.foreach(statement.execute))
  }

  /** The columns of each row as texts. */
  def rows(sql: String): Seq[Seq[String]] = Using.resource(open()) { connection =>
    Using.resource(connection.createStatement()) { statement =>
      val result = statement.executeQuery(sql)
      val width  = result.getMetaData.getColumnCount
      Iterator.continually(result).takeWhile(_.next()).map(r => (1 to width).map(r.getString)).toVector
    }
  }

  def count(table: String): Int = rows(s"SELECT COUNT(*) FROM $table").head.head.toInt

  /** A table of its own for a test: `id` is the key, `word` may be null and has at most 100 letters. */
  def newTable(more: String = ""): String = {
    val table = s"t_${UUID.randomUUID().toString.take(8)}"
    execute(s"CREATE TABLE $table (id BIGINT NOT NULL PRIMARY KEY, word $text$more)")
    table
  }

  /** A table without a key. */
  def newHeap(): String = {
    val table = s"h_${UUID.randomUUID().toString.take(8)}"
    execute(s"CREATE TABLE $table (id BIGINT, word $text)")
    table
  }

  /** One thread at a time: Derby now and then compiles anew what it asks its catalog by. Of two connections that do so at once,
    * one waits for the other in Java, and the other for a lock that the first one has in the database.
    */
  def target(table: String): Target = synchronized {
    val found   = Using.resource(open())(TargetTable.inspect(_, table, dialect))
    val quote   = JdbcDialects.get(dialect.sparkUrl(url)).quoteIdentifier(_)
    val columns =
      found.columns.map { column =>
        Column(
          column.name,
          quote(column.name),
          column.jdbcType,
          column.typeName,
          column.catalog.columnType
        )
      }
    Target(url, table, columns, dialect)
  }

  override def toString: String = name
}

object TestDatabase {

  /** A new database. Worlds in parallel threads need a database each: Derby locks its catalog for DDL and for the
    * compilation of catalog queries.
    */
  def derby(): TestDatabase =
    new TestDatabase("Derby", s"jdbc:derby:memory:d${UUID.randomUUID()};create=true")

  def h2(): TestDatabase =
    new TestDatabase("H2", s"jdbc:h2:mem:${UUID.randomUUID()};DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000")

  def sqlite(directory: Path): TestDatabase =
    new TestDatabase("SQLite", s"jdbc:sqlite:${directory.resolve("db")}?busy_timeout=60000")

  /** A server of this test run alone; it ends with the run. */
  lazy val postgres: TestDatabase =
    new TestDatabase("PostgreSQL", server("stoplog.servers.Postgres") + "&reWriteBatchedInserts=true")

  lazy val mariaDb: TestDatabase = new TestDatabase("MariaDB", server("stoplog.servers.MariaDb"))

  private def server(mainClass: String): String =
    ServerProcess.start("jdbcServers", mainClass, Files.createTempDirectory("stoplog-jdbc")).address

  private final case class Plain(url: String) extends ConnectionSource {
    override def open(): Connection = DriverManager.getConnection(url)
  }
}
