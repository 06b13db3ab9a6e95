// SPDX-License-Identifier: Apache-2.0
package stoplog.bench

import java.nio.file.Paths
import java.util.concurrent.Executors

import scala.concurrent.duration.Duration
import scala.concurrent.{Await, ExecutionContext, Future}

/** How fast parts are written and published, against the streams of the same file systems on the same servers.
  *
  * Arguments: the file that gets the figures as JSON, the number of rounds, and MiB a file on HDFS and on S3. All peers
  * take turns in each round, each time in another order, after one round that is not counted.
  */
object StoreThroughput {
  private val Writers = Seq(2, 4)

  def main(arguments: Array[String]): Unit = {
    val target  = Paths.get(arguments(0))
    val rounds  = arguments(1).toInt
    val grounds = Seq(
      (() => BenchmarkServer.hdfs(), arguments(2).toInt),
      (() => BenchmarkServer.s3(), arguments(3).toInt)
    )
    val measured = for {
      (start, mib) <- grounds
      ground = start()
      writers <- Writers
      figures <- inTurn(ground, writers, rounds, Rows(pieces = mib * 16))
    } yield figures
    Json.write(target, measured)
    sys.exit(0) // clients keep threads for a while
  }

  private def inTurn(
      ground: BenchmarkServer,
      writers: Int,
      rounds: Int,
      rows: Rows
  ): Seq[Map[String, Any]] = {
    val figures = for (round <- 0 to rounds) yield {
      val (first, last) = ground.peers.splitAt(round % ground.peers.size)
      (last ++ first).map { peer =>
        val seconds = secondsOf(peer, writers, rows, round)
        ground.clear()
        val speed = writers * rows.bytes / (1 << 20).toDouble / seconds
        println(f"${ground.storage}%s, $writers writers, round $round: $speed%6.1f MiB/s, ${peer.name}")
        peer.name -> speed
      }.toMap
    }
    ground.peers.map { peer =>
      Map(
        "storage"      -> ground.storage,
        "writers"      -> writers,
        "peer"         -> peer.name,
        "measure"      -> peer.measure,
        "mibPerSecond" -> figures.tail.map(_(peer.name))
      )
    }
  }

  private def secondsOf(peer: Peer, writers: Int, rows: Rows, round: Int): Double = {
    val pool                          = Executors.newFixedThreadPool(writers)
    implicit val on: ExecutionContext = ExecutionContext.fromExecutor(pool)
    try {
      val begun = System.nanoTime()
      val all   = (1 to writers).map(n => Future(peer.write(s"part-$round-$n.txt", rows)))
      Await.result(Future.sequence(all), Duration.Inf)
      (System.nanoTime() - begun) / 1e9
    } finally pool.shutdown()
  }
}
