// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.SparkContext

import stoplog.part.SpoolFile
import stoplog.sink._

/** The driver's half: has chunks sent.
  *
  * @param send  carries one out, wherever it likes
  * @param turns of the process
  */
private[wal] final class ChunkCommitter(
    send: (Chunk, SpoolFile) => CommitOutcome,
    committer: CheckpointCommitter,
    times: EpochTimes,
    place: LogPlace,
    turns: ChunkCommitter.Turns
) extends TwoPhaseCommitter {
  private var forgotten = Map.empty[String, Long]
  private var current   = Map.empty[String, Long]
  private val jobs      = ConcurrentHashMap.newKeySet[String]()

  override def commit(prepared: Prepared): CommitOutcome = {
    val token = ChunkToken.parse(prepared.token)
    val chunk =
      Chunk(place.sinkId, token.query, prepared.name, token.epoch, token.partition, prepared.rows)
        .copy(startedAtMillis = token.startedAtMillis)
    if (token.epoch.isDefined) refuseIfOver(chunk)
    val outcome = turns.oneAtATime(chunk) {
      val done = send(chunk.copy(micros = times.of(chunk)), token.file)
      if (done != CommitOutcome.Lost) place.files.discard(Seq(token.file.token))
      done
    }
    if (chunk.epoch.isDefined) forgetBefore(chunk) else jobs.add(chunk.query)
    outcome
  }

  override def staged(): Vector[Staged] = place.files.staged()

  override def stagedOf(token: String): Set[String] = Set(ChunkToken.parse(token).file.token)

  /** Recovery names a file as [[staged]] does, and a batch query that failed by what its task has prepared. */
  override def abort(token: String): Unit =
    place.files.discard(Seq(ChunkToken.find(token).fold(token)(_.file.token)))

  /** Nobody repeats a batch query. If its notes cannot be removed now, they stay: its rows are there in any case. */
  override def close(): Unit =
    try jobs.asScala.foreach(job => Try(committer.forgetBefore(job, Long.MaxValue)))
    finally
      try committer.close()
      finally times.close()

  /** What the target calls over was sent, and yet Spark may have planned it anew, with more rows. */
  private def refuseIfOver(chunk: Chunk): Unit = synchronized {
    if (!current.get(chunk.query).contains(chunk.epochNumber)) {
      if (committer.isOver(chunk.query, chunk.epochNumber))
        throw WriteAheadErrors.epochAhead(place.sinkId, place.location, chunk.epochNumber)
      current += chunk.query -> chunk.epochNumber
    }
  }

  /** Whoever commits an epoch has marked the records of all before it. */
  private def forgetBefore(chunk: Chunk): Unit = synchronized {
    if (forgotten.get(chunk.query).forall(_ < chunk.epochNumber)) {
      forgotten += chunk.query -> chunk.epochNumber
      committer.forgetBefore(chunk.query, chunk.epochNumber)
    }
  }
}

private[wal] object ChunkCommitter {

  /** The end of a run tries once more to send what it could not, and the query may be started anew meanwhile: without this
    * both would find no note.
    */
  final class Turns {
    private val all = Array.fill(1024)(new Object)

    def oneAtATime[A](chunk: Chunk)(send: => A): A =
      all(Math.floorMod(chunk.name.hashCode, all.length)).synchronized(send)
  }

  val turnsOfThisJvm: Turns = new Turns

  /** Sends each chunk in a task of its own. What is decided is carried out: not in the query's group of jobs, which ends when
    * the query is stopped.
    */
  def inTask(context: SparkContext, chunks: ChunkSender)(chunk: Chunk, file: SpoolFile): CommitOutcome = {
    context.clearJobGroup()
    val done =
      context.parallelize(Seq(chunk -> file), 1).map { case (chunk, file) => chunks.send(chunk, file) }
    done.collect().head
  }
}
