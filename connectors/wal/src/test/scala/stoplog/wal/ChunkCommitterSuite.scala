// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.nio.file.{Files, Paths}
import java.nio.file.attribute.FileTime

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{ForeignQuery, LostPart}
import stoplog.error.StoplogException
import stoplog.format.SparkSessionForTests
import stoplog.options.LogOptions
import stoplog.part.{RunId, SpoolFile}
import stoplog.sink.{CommitOutcome, Prepared, WriterTask}
import stoplog.storage.NewPart
import stoplog.twophase.TwoPhaseSettings

/** What the driver does before and after a chunk is sent. */
class ChunkCommitterSuite extends AnyFunSuite with SparkSessionForTests {

  private lazy val place = new LogPlace(
    TwoPhaseSettings(
      LogOptions(
        Some(Files.createTempDirectory("wal").toString),
        "main",
        ForeignQuery.Refuse,
        LostPart.Fail
      )
    ).storage
  )

  private class Notes extends CheckpointCommitter {
    var newest = Option.empty[DecidedEpoch]

    override def isCommitted(chunk: Chunk): Boolean             = false
    override def commit(chunk: Chunk): Unit                     = ()
    override def forgetBefore(query: String, epoch: Long): Unit = ()

    override def begin(decided: DecidedEpoch): Option[DecidedEpoch] = {
      if (newest.forall(_.epoch < decided.epoch)) newest = Some(decided)
      newest
    }
  }

  private val here = ChunkPlaces(notes = "the table b|c", rows = "the table #1 of d@e")

  test("a log restored with an older checkpoint sends no chunk that notes mark as sent") {
    spark
    var sent  = Vector.empty[Long]
    val notes = new Notes
    def run   = new ChunkCommitter(
      (chunk, _) => { sent :+= chunk.epochNumber; CommitOutcome.Committed },
      notes,
      EpochTimes.none,
      place,
      ChunkBounds(here),
      new ChunkCommitter.ChunkLocks
    )
    def chunk(epoch: Long, by: String = "run-1") = {
      val file  = SpoolFile(s"f$epoch", 1, level = 0)
      val token = ChunkToken("query", Some(epoch), 0, file, decision = ChunkDecision(by, here))
      Prepared("chunk", token.text, 1, 1)
    }

    val first = run
    (7L to 9L).foreach(epoch => first.commit(chunk(epoch)))
    for (
      (anew, noted) <- Seq(chunk(8, "run-2") -> "micro-batch 9", chunk(9, "run-2") -> "another micro-batch 9")
    ) {
      val restored = run
      for (_ <- 1 to 2) {
        val refused = intercept[StoplogException](restored.commit(anew))
        assert(refused.getCondition === "STOPLOG_EPOCH_AHEAD")
        for (said <- Seq(noted, here.notes, "query query")) assert(refused.getMessage.contains(said))
      }
    }
    assert(sent === Vector(7L, 8L, 9L))
    run.commit(chunk(9)) // which a restart repeats if its note is not there
    assert(sent === Vector(7L, 8L, 9L, 9L))
  }

  test("the file of a chunk that was sent during a stop is deleted") {
    spark
    val notes = new Notes {
      override def isCommitted(chunk: Chunk): Boolean = true
    }
    val committer = new ChunkCommitter(
      (_, _) => throw new InterruptedException("stopped"),
      notes,
      EpochTimes.none,
      place,
      ChunkBounds(here),
      new ChunkCommitter.ChunkLocks
    )
    val file  = place.files.write(NewPart("", "sent", RunId.random()))(_.write(1))
    val token = ChunkToken("query", Some(7), 0, SpoolFile(file, 1, level = 0), ChunkDecision("run-1", here))
    assert(place.files.staged().map(_.token) === Vector(file))
    assert(committer.commit(Prepared("sent", token.text, 1, 1)) === CommitOutcome.Committed)
    assert(place.files.staged() === Vector.empty)
  }

  test("a stream keeps the chunks of a batch query for a week") {
    spark
    val stream    = written(Some(7), days = 1)
    val sending   = written(None, days = 6)
    val left      = written(None, days = 8)
    val committer = new ChunkCommitter(
      (_, _) => CommitOutcome.Committed,
      new Notes,
      EpochTimes.none,
      place,
      ChunkBounds(here),
      new ChunkCommitter.ChunkLocks
    )

    assert(place.files.staged().map(_.token).toSet === Set(stream, sending, left))
    assert(committer.staged().map(_.token).toSet === Set(stream, left))
  }

  /** Returns the file of a chunk that was written some days ago. */
  private def written(epoch: Option[Long], days: Long): String = {
    val note   = ChunkNote(new StructType().add("line", StringType), requestRows = None)
    val task   = WriterTask(RunId.random(), "main", epoch, 0, 0, 0)
    val writer = new ChunkWriter(note, place, task, "query", here, _ => 1L)
    val file   =
      try {
        writer.write(InternalRow(UTF8String.fromString("a")))
        ChunkToken.parse(writer.prepare().head.token).file.token
      } finally writer.close()
    val millis = System.currentTimeMillis() - days * 24 * 60 * 60 * 1000
    Files.setLastModifiedTime(Paths.get(place.location, file), FileTime.fromMillis(millis))
    file
  }

  test("rejects a chunk of another place of notes or another target before any request") {
    spark
    val silent = new CheckpointCommitter {
      override def isCommitted(chunk: Chunk): Boolean                 = fail("asked")
      override def commit(chunk: Chunk): Unit                         = fail("noted")
      override def forgetBefore(query: String, epoch: Long): Unit     = ()
      override def begin(decided: DecidedEpoch): Option[DecidedEpoch] = fail("asked")
    }
    var sent                                                                           = 0
    def commit(notes: CheckpointCommitter, former: ChunkPlaces, moved: Option[String]) = {
      val token = ChunkToken(
        "query",
        Some(7),
        0,
        SpoolFile("f", 1, level = 0),
        decision = ChunkDecision("run", former)
      )
      new ChunkCommitter(
        (_, _) => { sent += 1; CommitOutcome.Committed },
        notes,
        EpochTimes.none,
        place,
        ChunkBounds(here, moved),
        new ChunkCommitter.ChunkLocks
      ).commit(Prepared("chunk-1", token.text, 1, 1))
    }
    def refused(former: ChunkPlaces, moved: Option[String]) =
      intercept[StoplogException](commit(silent, former, moved))

    for (former <- Seq("the table b", "files of the sink's log")) {
      val moved = refused(here.copy(notes = former), Some(here.rows))
      assert(moved.getCondition === "STOPLOG_WAL_TARGET_CHANGED")
      for (said <- Seq(former, here.notes, "chunk-1", place.location)) assert(moved.getMessage.contains(said))
    }
    for (elsewhere <- Seq(None, Some("the table #2"))) {
      val changed = refused(here.copy(rows = "the table #3"), elsewhere)
      assert(changed.getCondition === "STOPLOG_WAL_TARGET_CHANGED")
      for (said <- Seq("the table #3", here.rows, "chunk-1", "targetMovedFrom", place.location))
        assert(changed.getMessage.contains(said))
    }
    commit(new Notes, here, moved = None)
    commit(new Notes, here.copy(rows = "the table #3"), moved = Some("the table #3"))
    assert(sent === 2)
  }
}
