// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.bench

import java.nio.file.{Files, Paths}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import org.apache.spark.sql.SparkSession

import stoplog.cassandra.{CassandraNode, CassandraSink, CassandraSource}

/** Upserts and scans by Spark with stoplog, and by the driver alone, on one node on the same machine.
  *
  * Arguments: the file that gets the figures as JSON, the number of rounds, of rows to upsert, and of rows to scan. All
  * peers take turns in each round, each time in another order, after one round that is not counted.
  */
object CassandraSpeed {
  private final val Threads     = 2
  private final val MaxInFlight = 256

  private val tables = Seq(BenchTable("single", 1), BenchTable("grouped", 100))

  private final case class Peer(task: String, table: BenchTable, name: String, run: () => Unit)

  def main(arguments: Array[String]): Unit = {
    val rounds  = arguments(1).toInt
    val counts  = Map("upsert" -> arguments(2).toLong, "scan" -> arguments(3).toLong)
    val session = CassandraNode.session
    session.execute(
      "CREATE KEYSPACE bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1} " +
        "AND durable_writes = true"
    )
    tables.foreach(table => session.execute(table.create))
    val spark = SparkSession
      .builder()
      .master(s"local[$Threads]")
      .config("spark.ui.enabled", "false")
      .config("spark.log.level", "WARN")
      .getOrCreate()
    val driver = new DriverAlone(session, Threads, MaxInFlight)
    val all    = for {
      task  <- Seq("upsert", "scan")
      table <- tables
    } yield {
      if (task == "scan") driver.write(table, counts(task))
      measured(peers(task, table, spark, driver, counts(task)), rounds, counts(task))
    }
    Files.write(
      Paths.get(arguments(0)),
      new ObjectMapper().registerModule(DefaultScalaModule).writeValueAsBytes(all.flatten)
    )
    sys.exit(0) // sessions keep threads for a while
  }

  private def peers(
      task: String,
      table: BenchTable,
      spark: SparkSession,
      driver: DriverAlone,
      rows: Long
  ): Seq[Peer] = {
    val node                            = CassandraNode.shared.address
    val ours: Seq[(String, () => Unit)] = task match {
      case "upsert" =>
        for ((name, batch) <- Seq("stoplog" -> "4k", "stoplog, `maxBatchSize` = 1" -> "1")) yield {
          val sink =
            CassandraSink.forTable(node, "bench", table.name).withOption("maxBatchSize", batch).build()
          val run = () => {
            val frame = spark.range(0, rows, 1, Threads).selectExpr(table.rows: _*)
            sink.write(frame).save()
          }
          name -> run
        }
      case _ =>
        val source = CassandraSource.forTable(node, "bench", table.name).build()
        Seq("stoplog" -> (() => source.read(spark).write.format("noop").mode("overwrite").save()))
    }
    val alone = "driver alone" -> (() =>
      task match {
        case "upsert" => driver.write(table, rows)
        case _        => require(driver.scan(table) == rows, "rows are missing")
      }
    )
    (ours :+ alone).map { case (name, run) => Peer(task, table, name, run) }
  }

  private def measured(peers: Seq[Peer], rounds: Int, rows: Long): Seq[Map[String, Any]] = {
    val figures = for (round <- 0 to rounds) yield {
      val (first, last) = peers.splitAt(round % peers.size)
      (last ++ first).map { peer =>
        val begun = System.nanoTime()
        peer.run()
        val speed = rows / ((System.nanoTime() - begun) / 1e9)
        println(f"${peer.task}%s ${peer.table.name}%s, round $round: $speed%8.0f rows/s, ${peer.name}%s")
        peer.name -> speed
      }.toMap
    }
    peers.map { peer =>
      Map(
        "task"             -> peer.task,
        "rowsPerPartition" -> peer.table.rowsPerPartition,
        "peer"             -> peer.name,
        "rows"             -> rows,
        "rowsPerSecond"    -> figures.tail.map(_(peer.name))
      )
    }
  }
}
