// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import org.apache.spark.SparkThrowable

import stoplog.commit.BatchDigests
import stoplog.log.{CommitLog, LogFiles, RecordCodec, RecordKind}
import stoplog.part.Publish
import stoplog.sink.CommitOutcome
import stoplog.storage._

/** Mutations of what a run compares, notes and answers, and of what can be done once. */
object LedgerMutations {

  /** A batch counts as the one of its number in the log, whatever was in that. */
  object DigestsIgnored extends Mutation {
    override def digests(asItIs: BatchDigests): BatchDigests = BatchDigests.unknown
  }

  /** A driver that was fenced answers as if its record were the newest. */
  object FencedAnswers extends Mutation {
    override def committed(asItIs: => Unit): Unit =
      try asItIs
      catch { case e: SparkThrowable if e.getCondition == "STOPLOG_FENCED" => () }
  }

  /** A claim carries out what a first look has found, and takes its place behind what a second one finds. */
  object ClaimLooksTwice extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      private var isClaimed = false
      private var unseen    = Option.empty[Long]

      override def list(): Vector[Long] =
        if (isClaimed) super.list()
        else {
          val first  = super.list()
          val second = super.list()
          unseen = second.lastOption.filterNot(first.lastOption.contains)
          second
        }

      override def isPublished(seq: Long): Boolean = unseen.contains(seq) || super.isPublished(seq)

      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
        val outcome = super.putIfAbsent(seq, bytes)
        isClaimed ||= RecordCodec.read(bytes).exists(_.decision.kind == RecordKind.Claim) &&
          outcome == PutOutcome.Created
        outcome
      }
    }
  }

  /** No process notes which parts have been visible. How a merge ends is noted. */
  object NothingNotedVisible extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      override def putNote(seq: Long, number: Int, bytes: Array[Byte]): PutOutcome =
        if (bytes.startsWith("[\"".getBytes(UTF_8))) PutOutcome.Created else super.putNote(seq, number, bytes)
    }
  }

  /** A merge that has lost an input to a reader is carried out all the same. */
  object NeverCalledOff extends Mutation {
    override def finished(world: World, real: ReplacedFiles, records: LogFiles): ReplacedFiles =
      new FinishedOver(real) {
        override def taken(seq: Long, paths: Seq[String]): Set[String] = Set.empty
      }
  }

  /** Where parts are copied: a part that was published, and has gone since, can be published again, as by a conditional PUT of
    * bytes that are kept.
    */
  final class PublishedAgain extends Mutation {
    private val kept = mutable.Map.empty[String, Inode]
    private val made = mutable.Set.empty[String]
    private val busy = mutable.Map.empty[String, Int].withDefaultValue(0)

    override def parts(world: World, real: PartStore, records: LogFiles): PartStore = new PartsOver(real) {
      override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
        val upload = Copied.decode(part.token).flatMap(_.upload).getOrElse("")
        kept ++= world.disk.uploads.get(upload).map(upload -> _)
        busy(upload) += 1
        show(upload)
        try {
          val outcome = super.publish(part, sizeBytes, finishedPath)
          if (outcome == CommitOutcome.Committed) made += upload
          outcome
        } finally {
          busy(upload) -= 1
          show(upload)
        }
      }

      /** While any process publishes it. */
      private def show(upload: String): Unit =
        if (busy(upload) > 0) kept.get(upload).foreach(world.disk.uploads.update(upload, _))
        else if (made(upload)) world.disk.uploads.remove(upload): Unit
    }
  }

  /** A batch job does not say that it overwrites. */
  object OverwriteUnannounced extends Mutation {
    override def notes(world: World, real: FileStore): FileStore = new NotesOver(real) {
      override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome =
        if (SimJobs.isNote(path)) PutOutcome.Created else super.createIfAbsent(path)(content)
    }
  }

  /** A batch job overwrites beside a query that merges. */
  object OverwriteDuringCompactions extends Mutation {
    override def streams(asItIs: Map[String, CommitLog]): Map[String, CommitLog] = Map.empty
  }
}
