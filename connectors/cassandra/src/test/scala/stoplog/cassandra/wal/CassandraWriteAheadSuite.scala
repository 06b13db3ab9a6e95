// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import java.nio.file.Files

import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.KeyspaceForTests
import stoplog.error.{StoplogArgumentException, Thrown}
import stoplog.format.SparkSessionForTests
import stoplog.wal.{WriteAheadSink, WriteAheadSinkBuilder}

/** What a user does, through Spark. */
class CassandraWriteAheadSuite extends AnyFunSuite with KeyspaceForTests with SparkSessionForTests {

  private def sink(table: String): WriteAheadSinkBuilder =
    WriteAheadSink.toCassandra(node.address, keyspace, table)

  test("a stream over three starts keeps the last epoch and notes of a single epoch") {
    val session = spark
    import session.implicits._
    cql("CREATE TABLE %s.stream (id bigint PRIMARY KEY, epoch int)")
    val source = MemoryStream[(Long, Int)](session)
    val rows   = source.toDF().toDF("id", "epoch")
    val at     = Files.createTempDirectory("checkpoint").toString
    for (epoch <- 0 until 3) {
      source.addData((0L until 30L).map(_ -> epoch): _*)
      sink("stream")
        .build()
        .writeStream(rows)
        .option("checkpointLocation", at)
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination()
    }
    val found = cql("SELECT id, epoch, WRITETIME(epoch) FROM %s.stream")
    assert(found.map(_.getLong(0)).sorted === (0 until 30))
    assert(found.forall(_.getInt(1) == 2))
    val times = cql("SELECT epoch, micros FROM %s.stoplog_epochs WHERE target = '%s.stream'")
    assert(times.map(_.getLong(0)) === Seq(2))
    assert(found.map(_.getLong(2)).min === times.head.getLong(1))
    assert(cql("SELECT epoch FROM %s.stoplog_chunks").map(_.getLong(0)).distinct === Seq(2))
  }

  test("a row that no restart could send is rejected before the log contains the row") {
    val session = spark
    import session.implicits._
    cql("CREATE TABLE %s.rejecting (id bigint PRIMARY KEY, word text)")
    val source                    = MemoryStream[(java.lang.Long, Array[Byte])](session)
    val at                        = Files.createTempDirectory("checkpoint").toString
    def run(filter: String): Unit =
      sink("rejecting")
        .build()
        .writeStream(source.toDF().selectExpr("_1 AS id", "string(_2) AS word").where(filter))
        .option("checkpointLocation", at)
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination()
    source.addData(Long.box(1) -> "a".getBytes, (null, "b".getBytes), Long.box(3) -> Array[Byte](-1))
    for (filter <- Seq("true", "id IS NOT NULL"))
      assert(Thrown.conditions(intercept[Exception](run(filter))).contains("STOPLOG_BAD_ROW"))
    run("id = 1")
    assert(cql("SELECT id FROM %s.rejecting").map(_.getLong(0)) === Seq(1))
  }

  test("a batch query leaves no notes") {
    cql("CREATE TABLE %s.job_rows (id bigint PRIMARY KEY, word text)")
    sink("job_rows")
      .withCassandraOption("progressTable", s"$keyspace.batch_chunks")
      .withLogLocation(Files.createTempDirectory("wal").toString)
      .build()
      .write(spark.range(0, 40, 1, 4).selectExpr("id", "concat('w', id) AS word"))
      .save()
    assert(cql("SELECT id FROM %s.job_rows").map(_.getLong(0)).sorted === (0 until 40))
    assert(cql("SELECT chunk_name FROM %s.batch_chunks") === Nil)
  }

  test("with cassandra.writeTimestamp=server, the later row of a key in a chunk wins") {
    cql("CREATE TABLE %s.by_server (id bigint PRIMARY KEY, word text)")
    sink("by_server")
      .withCassandraOption("writeTimestamp", "server")
      .withLogLocation(Files.createTempDirectory("wal").toString)
      .build()
      // The larger value comes first.
      .write(spark.range(0, 300, 1, 1).selectExpr("id DIV 2 AS id", "concat(char(122 - id % 2), id) AS word"))
      .save()
    val found = cql("SELECT id, word FROM %s.by_server").map(row => row.getLong(0) -> row.getString(1))
    assert(found.sortBy(_._1) === (0L until 150L).map(id => id -> s"y${2 * id + 1}"))
  }

  test("rejects invalid columns and options before any write") {
    cql("CREATE TABLE %s.refused (id bigint PRIMARY KEY)")
    val log = Files.createTempDirectory("wal")
    val e   = intercept[StoplogArgumentException](
      sink("refused")
        .withLogLocation(log.toString)
        .build()
        .write(spark.range(1).selectExpr("id AS other"))
        .save()
    )
    assert(e.getCondition === "STOPLOG_ROW_COLUMNS")
    assert(!Files.exists(log.resolve("_stoplog")))
    val options = intercept[StoplogArgumentException](
      sink("refused").withCassandraOption("distribution", "byPartitionKey").build()
    )
    assert(options.getMessage.contains("cassandra.distribution has no effect in a write-ahead sink"))
  }
}
