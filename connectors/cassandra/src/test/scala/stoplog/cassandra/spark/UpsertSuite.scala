// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.io.File
import java.nio.file.Files

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.KeyspaceForTests
import stoplog.error.{Causes, StoplogArgumentException, StoplogException}
import stoplog.format.SparkSessionForTests

/** Upserts by streaming and batch queries: what is in the table, with which timestamps. */
class UpsertSuite extends AnyFunSuite with KeyspaceForTests with SparkSessionForTests {

  private def rows(sql: String): DataFrame = spark.sql(sql)

  private def write(rows: DataFrame, table: String, more: (String, String)*): Unit =
    rows.write.format("stoplog-cassandra").options(options(table, more: _*)).mode("append").save()

  private def refusal(action: => Any): StoplogException =
    Causes.of(intercept[Exception](action)).collectFirst { case known: StoplogException => known }.get

  private def refusalOf(queries: Queries): StoplogException =
    intercept[StreamingQueryException](queries.run()).getCause.asInstanceOf[StoplogException]

  private def newDirectory(): String = Files.createTempDirectory("checkpoint").toString

  private def query(table: String, more: (String, String)*): Queries = new Queries(table, more)

  /** Micro-batches of `id:value` from memory, over one checkpoint. */
  private class Queries(table: String, more: Seq[(String, String)]) {
    var checkpoint     = newDirectory()
    private val stream = MemoryStream[String](spark.implicits.newStringEncoder, spark)

    def add(all: String*): this.type = {
      stream.addData(all: _*)
      this
    }

    protected def rows: DataFrame =
      stream.toDF().selectExpr("CAST(split(value, ':')[0] AS INT) AS id", "split(value, ':')[1] AS v")

    /** What has come, in one micro-batch. */
    def run(): Unit = {
      val started = rows.writeStream
        .outputMode("update")
        .format("stoplog-cassandra")
        .options(options(table, more: _*))
        .option("checkpointLocation", checkpoint)
        .start()
      try started.processAllAvailable()
      finally started.stop()
    }

    /** A copy of the checkpoint as it is now. */
    def copied(): String = {
      val copy = newDirectory()
      FileUtils.copyDirectory(new File(checkpoint), new File(copy))
      copy
    }

    /** Makes Spark believe that the micro-batch was never committed. */
    def forget(batch: Long): Unit = {
      Files.delete(java.nio.file.Path.of(checkpoint, "commits", batch.toString))
      Files.deleteIfExists(java.nio.file.Path.of(checkpoint, "commits", s".$batch.crc"))
      ()
    }
  }

  test("a row overwrites the row with its key") {
    cql("CREATE TABLE %s.plain (id int PRIMARY KEY, v text)")
    query("plain").add("1:a", "2:b").run()
    assert(
      cql("SELECT * FROM %s.plain").map(_.getFormattedContents).toSet === Set(
        "[id:1, v:'a']",
        "[id:2, v:'b']"
      )
    )
  }

  test("the last row of a key wins within a micro-batch regardless of values") {
    cql("CREATE TABLE %s.twice (id int PRIMARY KEY, v text)")
    query("twice", "distribution" -> "byPartitionKey").add("1:z", "1:a", "2:a", "2:z", "1:m").run()
    assert(
      cql("SELECT id, v FROM %s.twice").map(row => row.getInt(0) -> row.getString(1)).toMap === Map(
        1 -> "m",
        2 -> "z"
      )
    )
  }

  test("a repeated epoch keeps its timestamps and does not overwrite newer writes") {
    cql("CREATE TABLE %s.replay (id int PRIMARY KEY, v text)")
    val queries = query("replay").add("1:first", "2:first")
    queries.run()
    val before =
      cql("SELECT id, WRITETIME(v) FROM %s.replay").map(row => row.getInt(0) -> row.getLong(1)).toMap
    // Somebody else writes to one of the rows after the epoch.
    cql("UPDATE %s.replay SET v = 'newer' WHERE id = 1")
    queries.forget(0)
    queries.run()
    val after = cql("SELECT id, v, WRITETIME(v) FROM %s.replay").map(row => row.getInt(0) -> row).toMap
    assert(after(1).getString(1) === "newer")
    assert(after(2).getString(1) === "first")
    assert(after(2).getLong(2) === before(2))
    assert(
      cql("SELECT epoch, micros FROM %s.stoplog_epochs WHERE target = '%s.replay'")
        .map(_.getLong(1))
        .head <= before(2)
    )
  }

  test("each epoch overwrites the previous epoch, over restarts") {
    cql("CREATE TABLE %s.order_of_epochs (id int PRIMARY KEY, v text)")
    val queries = query("order_of_epochs")
    for (epoch <- 0 until 3) queries.add(s"1:v${9 - epoch}").run()
    assert(cql("SELECT v FROM %s.order_of_epochs WHERE id = 1").head.getString(0) === "v7")
  }

  test("rejects a query whose checkpoint was restored from an older copy") {
    cql("CREATE TABLE %s.behind (id int PRIMARY KEY, v text)")
    val queries = query("behind")
    queries.add("1:a").run()
    queries.add("1:b").run()
    Seq("offsets/1", "commits/1", "commits/0").foreach(name =>
      Files.delete(java.nio.file.Path.of(queries.checkpoint, name))
    )
    assert(refusalOf(queries).getCondition === "STOPLOG_EPOCH_AHEAD")
  }

  test("rejects a checkpoint from a previous batch before rows of two plans mix") {
    cql("CREATE TABLE %s.anew (id int PRIMARY KEY, state text, n int)")
    // The newest state of each order: a larger n, and a smaller word.
    val orders = new Queries("anew", Nil) {
      override protected def rows: DataFrame = super.rows
        .groupBy("id")
        .agg("v" -> "max")
        .selectExpr("id", "if(`max(v)` = '1', 'open', 'closed') AS state", "CAST(`max(v)` AS INT) AS n")
    }
    def order                     = cql("SELECT state, n FROM %s.anew WHERE id = 1").head.getFormattedContents
    def refused: StoplogException = refusalOf(orders)
    orders.add("9:1").run()
    val (current, copy) = (orders.checkpoint, orders.copied())
    orders.add("1:1").run()
    orders.add("1:2")
    orders.checkpoint = copy
    assert(refused.getCondition === "STOPLOG_EPOCH_AHEAD")
    assert(refused.getMessage.contains("an epoch 1 that it has replanned"))
    assert(order === "[state:'open', n:1]")
    orders.checkpoint = current
    orders.run()
    assert(order === "[state:'closed', n:2]")
    // The way out of the message, for an operator who has only the copy.
    orders.checkpoint = copy
    session.execute(statementOf(refused.getMessage))
    orders.add("1:3").run()
    assert(order === "[state:'closed', n:3]")
  }

  /** Returns the statement that a message advises to run. */
  private def statementOf(message: String): String =
    message.split("Or(, if no row is missing,)? run ")(1).split(", after which")(0)

  test("rejects a query that skips epochs missing in the keyspace") {
    cql("CREATE TABLE %s.gap (id int PRIMARY KEY, v text)")
    val queries = query("gap")
    for (value <- Seq("1:a", "1:b")) queries.add(value).run()
    val entry = cql("SELECT query FROM %s.stoplog_epochs WHERE target = '%s.gap'").head.getString(0)
    cql(s"UPDATE %s.stoplog_epochs SET epoch = 0 WHERE target = '%s.gap' AND query = '$entry' IF EXISTS")
    queries.add("1:c")
    val gap = refusalOf(queries)
    assert(gap.getCondition === "STOPLOG_EPOCH_GAP")
    session.execute(statementOf(gap.getMessage))
    queries.run()
    assert(cql("SELECT v FROM %s.gap WHERE id = 1").head.getString(0) === "c")
  }

  test("with writeTimestamp=column, the latest row of a key wins in any order of arrival") {
    cql("CREATE TABLE %s.by_column (id int PRIMARY KEY, v text)")
    val more = Seq("writeTimestamp" -> "column at")
    write(rows("SELECT 1 AS id, 'late' AS v, TIMESTAMP'2026-01-02 00:00:00' AS at"), "by_column", more: _*)
    write(rows("SELECT 1 AS id, 'early' AS v, TIMESTAMP'2026-01-01 00:00:00' AS at"), "by_column", more: _*)
    val row = cql("SELECT v, WRITETIME(v) FROM %s.by_column").head
    assert(row.getString(0) === "late")
    assert(row.getLong(1) === 1767312000000000L)
  }

  test("with writeTimestamp=server, the later row of a key in a task wins, also for lists") {
    cql("CREATE TABLE %s.by_server (p int, c int, v text, l list<text>, PRIMARY KEY (p, c))")
    // Larger values come first: of cells with the same time Cassandra keeps the larger value.
    val twice = rows(
      "SELECT CAST(k % 7 AS INT) AS p, CAST(k AS INT) AS c, concat(char(122 - turn), k) AS v, " +
        "array(concat(char(122 - turn), k)) AS l " +
        "FROM range(0, 150, 1, 1) AS keys(k) LATERAL VIEW explode(array(0, 1, 2)) AS turn"
    )
    write(twice.coalesce(1), "by_server", "writeTimestamp" -> "server", "maxInFlight" -> "64")
    val found = cql("SELECT c, v, l FROM %s.by_server").map { row =>
      (row.getInt(0), row.getString(1), row.getList(2, classOf[String]).toArray.toSeq)
    }
    assert(found.sortBy(_._1) === (0 until 150).map(c => (c, s"x$c", Seq(s"x$c"))))
  }

  test("with writeTimestamp=column, two rows of a key with the same time and other values are rejected") {
    cql("CREATE TABLE %s.tied (id int PRIMARY KEY, v text)")
    def two(later: String) = rows(
      s"SELECT id, v, TIMESTAMP'2026-01-01 00:00:00' AS at FROM VALUES (1, 'z'), (1, '$later') AS t(id, v)"
    ).coalesce(1)
    val more = Seq("writeTimestamp" -> "column at")
    write(two("z"), "tied", more: _*)
    val stoplog = refusal(write(two("a"), "tied", more: _*))
    assert(stoplog.getCondition === "STOPLOG_BAD_ROW")
    assert(stoplog.getMessage.contains("the column at of the row with the key (id=1)"))
  }

  test("a wrong data center is reported with the data centers of the cluster") {
    val begun = System.nanoTime()
    val e     = intercept[StoplogArgumentException](
      write(
        rows("SELECT 1 AS id"),
        "plain",
        "datastax-java-driver.basic.load-balancing-policy.local-datacenter" -> "dc_wrong"
      )
    )
    assert(System.nanoTime() - begun < 60e9)
    assert(e.getCondition === "STOPLOG_UNREACHABLE")
    for (part <- Seq("no node is in the data center dc_wrong", "local-datacenter", "datacenter1"))
      assert(e.getMessage.contains(part), e.getMessage)
  }

  test("a null keeps or deletes the cell by option") {
    cql("CREATE TABLE %s.nulls (id int PRIMARY KEY, a text, b text)")
    write(rows("SELECT 1 AS id, 'a' AS a, 'b' AS b"), "nulls")
    write(rows("SELECT 1 AS id, CAST(NULL AS STRING) AS a, 'c' AS b"), "nulls")
    assert(cql("SELECT a, b FROM %s.nulls").head.getFormattedContents === "[a:'a', b:'c']")
    write(rows("SELECT 1 AS id, CAST(NULL AS STRING) AS a, 'c' AS b"), "nulls", "nulls" -> "delete")
    assert(cql("SELECT a, b FROM %s.nulls").head.getFormattedContents === "[a:NULL, b:'c']")
  }

  test("the TTL of cells is set by the option or by a column") {
    cql("CREATE TABLE %s.lives (id int PRIMARY KEY, v text)")
    write(rows("SELECT 1 AS id, 'x' AS v"), "lives", "ttl" -> "1h")
    write(
      rows("SELECT id, 'x' AS v, keep FROM VALUES (2, 50), (3, 0), (4, CAST(NULL AS INT)) AS t(id, keep)"),
      "lives",
      "ttl" -> "column keep"
    )
    val ttls =
      cql("SELECT id, TTL(v) FROM %s.lives").map(row => row.getInt(0) -> Option(row.getObject(1))).toMap
    assert(ttls(1).exists(left => (3500 to 3600).contains(left)))
    assert(ttls(2).exists(left => (1 to 50).contains(left)))
    assert(ttls(3) === None)
    assert(ttls(4) === None)
  }

  test("rows of a partition share requests") {
    cql("CREATE TABLE %s.shared (p int, c bigint, v text, PRIMARY KEY (p, c))")
    val all = spark.range(0, 1000, 1, 1).selectExpr("CAST(id % 2 AS INT) AS p", "id AS c", "'v' AS v")
    write(all, "shared")
    assert(cql("SELECT COUNT(*) FROM %s.shared").head.getLong(0) === 1000)
  }

  test("a bad row is reported with its key and column") {
    cql("CREATE TABLE %s.bad (id int PRIMARY KEY, v uuid)")
    val stoplog = refusal(write(rows("SELECT 7 AS id, 'no uuid' AS v"), "bad"))
    assert(stoplog.getCondition === "STOPLOG_BAD_ROW")
    assert(stoplog.getMessage.contains("the column v of the row with the key (id=7)"))
  }

  test("a string that its column cannot store exactly is a bad row") {
    cql("CREATE TABLE %s.texts (id int PRIMARY KEY, v text, a ascii, l frozen<list<text>>)")
    for (
      column <- Seq("string(X'FF') AS v", "string(X'FF') AS a", "'\u00e9' AS a", "array(string(X'FF')) AS l")
    ) {
      val stoplog = refusal(write(rows(s"SELECT 7 AS id, $column"), "texts"))
      assert(stoplog.getCondition === "STOPLOG_BAD_ROW", column)
    }
  }

  test("a timestamp with microseconds is a bad row in a key, and is cut in another column") {
    cql("CREATE TABLE %s.times (id timestamp, s frozen<set<timestamp>>, v timestamp, PRIMARY KEY (id, s))")
    def row(id: String, s: String, v: String) =
      rows(
        s"SELECT TIMESTAMP'2026-01-01 $id' AS id, array(TIMESTAMP'1960-01-01 $s') AS s, TIMESTAMP'1960-01-01 $v' AS v"
      )
    write(row("00:00:00.001", "00:00:00.001", "00:00:00.000999"), "times")
    for ((id, s) <- Seq("00:00:00.000001" -> "00:00:00", "00:00:00" -> "00:00:00.001001")) {
      val stoplog = refusal(write(row(id, s, "00:00:00"), "times"))
      assert(stoplog.getCondition === "STOPLOG_BAD_ROW")
      assert(stoplog.getMessage.contains("date_trunc('MILLISECOND', column)"))
    }
    assert(cql("SELECT v FROM %s.times").map(_.getInstant(0).toString) === Seq("1960-01-01T00:00:00Z"))
  }

  test("a row that the node rejects is reported with its key") {
    cql("CREATE TABLE %s.refused (id text PRIMARY KEY, v int)")
    val stoplog = refusal(write(rows("SELECT repeat('k', 70000) AS id, 1 AS v"), "refused"))
    assert(stoplog.getCondition === "STOPLOG_REQUEST_FAILED")
    assert(stoplog.getMessage.contains("the key (id='kkk"))
  }

  test("all schema problems are reported before any write") {
    cql("CREATE TABLE %s.checked (a int, b int, c int, v text, w uuid, l list<int>, PRIMARY KEY (a, b, c))")
    val e = intercept[StoplogArgumentException](
      write(rows("SELECT 1 AS a, 'x' AS b, 2 AS w, 'z' AS nowhere, array(1) AS l"), "checked")
    )
    assert(e.getCondition === "STOPLOG_ROW_COLUMNS")
    val problems = e.getMessageParameters.get("problems")
    for (
      part <- Seq("no column nowhere", "for c, which is part of the clustering key",
        "b: STRING is not written to int", "w: INT is not written to uuid", "l is a list that is not frozen")
    )
      assert(problems.contains(part), problems)
  }

  test("rejects writes to counter tables") {
    cql("CREATE TABLE %s.counted (id int PRIMARY KEY, n counter)")
    val e = intercept[StoplogArgumentException](write(rows("SELECT 1 AS id, 2L AS n"), "counted"))
    assert(e.getMessageParameters.get("problems").contains("table has counters"))
    cql("UPDATE %s.counted SET n = n + 5 WHERE id = 1")
    assert(spark.read.format("stoplog-cassandra").options(options("counted")).load().head().getLong(1) === 5)
  }

  test("a repeated write duplicates elements of a list that is not frozen") {
    cql("CREATE TABLE %s.lists (id int PRIMARY KEY, l list<int>, s set<int>)")
    for (_ <- 1 to 2) cql("INSERT INTO %s.lists (id, l, s) VALUES (1, [1, 2], {1, 2}) USING TIMESTAMP 1000")
    assert(cql("SELECT l, s FROM %s.lists").head.getFormattedContents === "[l:[1,2,1,2], s:{1,2}]")
  }

  test("reports a missing table or keyspace by name") {
    val e = intercept[StoplogArgumentException](write(rows("SELECT 1 AS id"), "nowhere"))
    assert(e.getCondition === "STOPLOG_CASSANDRA_TABLE")
  }

  test("a failed connection reports its contact points") {
    val e = intercept[StoplogArgumentException]( // which PySpark shows without a stack of Java
      write(rows("SELECT 1 AS id"), "plain", "contactPoints" -> "127.0.0.1:1")
    )
    assert(stoplog.cassandra.client.RequestCauses.isTransient(e), "a task that finds no node tries again")
    assert(e.getCondition === "STOPLOG_UNREACHABLE")
    assert(e.getMessage.contains("The cluster at 127.0.0.1:1 cannot be reached"))
  }
}
