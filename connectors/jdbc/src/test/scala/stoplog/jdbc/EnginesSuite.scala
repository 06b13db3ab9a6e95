// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.{StoplogArgumentException, StoplogException}
import stoplog.jdbc.options.JdbcOptions
import stoplog.jdbc.table.TableCheck
import stoplog.jdbc.wal.{JdbcCommitters, JdbcSender}

/** Tables in engines without transactions, in which a rollback keeps rows. */
class EnginesSuite extends AnyFunSuite {
  private lazy val database = TestDatabase.mariaDb
  private val schema        = new StructType().add("id", "bigint").add("word", "string")
  private val engines       = Seq("MyISAM", "Aria", "MEMORY")

  private def check(table: String, more: (String, String)*): Unit = {
    val options = Map("url" -> database.url, "dbtable" -> table, "driver" -> "org.mariadb.jdbc.Driver")
    val strict  = SessionSettings(database.connector, "sql_mode = 'STRICT_ALL_TABLES'")
    TableCheck.target(JdbcOptions.parse((options ++ more).asJava), schema, strict)
    ()
  }

  private def withEngine(engine: String): String = {
    val table = database.newTable()
    database.execute(s"ALTER TABLE $table ENGINE=$engine")
    table
  }

  test("exactly-once inserts reject a target without transactions, and upserts accept it") {
    for (engine <- engines) {
      val table = withEngine(engine)
      val e     = intercept[StoplogArgumentException](check(table))
      assert(e.getCondition === "STOPLOG_ROW_COLUMNS")
      assert(e.getMessage.contains(s"its engine $engine has no transactions"))
      check(table, "keyColumns" -> "id")
    }
    check(database.newTable())
  }

  test("the write-ahead sender rejects such a target without keys") {
    val table   = withEngine("MyISAM")
    val options = Map("jdbc.url" -> database.url, "jdbc.dbtable" -> table, "committer" -> "jdbc")
    val e       = intercept[StoplogArgumentException](new JdbcSender().check(options.asJava, schema))
    assert(e.getMessage.contains("has no transactions"))
  }

  test("a view is rejected, because the engine of its tables is unknown") {
    val table = database.newTable()
    database.execute(s"CREATE VIEW ${table}_v AS SELECT * FROM $table")
    assert(intercept[StoplogArgumentException](check(s"${table}_v")).getMessage.contains("it is a view"))
  }

  test("the sink's own tables support transactions regardless of the server's default engine") {
    database.execute("SET GLOBAL default_storage_engine=MyISAM")
    try {
      val table = database.newTable()
      database.execute(s"ALTER TABLE $table ENGINE=InnoDB")
      val rig = new JdbcSinkFixture(
        database,
        table,
        database.connector,
        reject = true,
        epochs = Some(s"${table}_epochs")
      )
      rig.driver("q", "r").begin(0)
      for (own <- rig.tables.allStaging.map(_.table) ++ Seq(s"${table}_epochs", s"${table}_rejected"))
        assert(engineOf(own) === "InnoDB", own)
      val chunks = s"${table}_chunks"
      new JdbcCommitters().prepare(committing(chunks).asJava, null)
      assert(engineOf(chunks) === "InnoDB")
    } finally database.execute("SET GLOBAL default_storage_engine=InnoDB")
  }

  test("an existing own table without transactions is rejected by name") {
    def refused(work: => Any, own: String): Unit = {
      val e = intercept[StoplogException](work)
      assert(e.getCondition === "STOPLOG_OWN_TABLE")
      assert(e.getMessage.contains(own) && e.getMessage.contains("its engine MyISAM has no transactions"))
    }
    for (broken <- Seq("epochs", "rejected")) {
      val table = database.newTable()
      def rig   =
        new JdbcSinkFixture(
          database,
          table,
          database.connector,
          reject = true,
          epochs = Some(s"${table}_epochs")
        )
      rig.driver("q", "r").begin(0)
      // Keys of MyISAM have at most 1000 bytes.
      database.execute(s"ALTER TABLE ${table}_$broken ENGINE=MyISAM, CONVERT TO CHARACTER SET latin1")
      refused(rig.driver("q", "r2").begin(1), s"${table}_$broken")
    }
    val chunks = s"${database.newTable()}_chunks"
    new JdbcCommitters().prepare(committing(chunks).asJava, null)
    database.execute(s"ALTER TABLE $chunks ENGINE=MyISAM")
    refused(new JdbcCommitters().prepare(committing(chunks).asJava, null), chunks)
  }

  private def committing(chunks: String) =
    Map("committer" -> "jdbc", "jdbc.url" -> database.url, "jdbc.progressTable" -> chunks)

  private def engineOf(table: String): String =
    database.rows(s"SELECT engine FROM information_schema.tables WHERE table_name = '$table'").head.head
}
