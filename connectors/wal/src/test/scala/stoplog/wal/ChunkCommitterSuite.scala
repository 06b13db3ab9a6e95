// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{ForeignQuery, LostPart}
import stoplog.error.StoplogException
import stoplog.format.SparkSessionForTests
import stoplog.options.LogOptions
import stoplog.part.SpoolFile
import stoplog.sink.{CommitOutcome, Prepared}
import stoplog.twophase.TwoPhaseSettings

/** What the driver does before and after a chunk is sent. */
class ChunkCommitterSuite extends AnyFunSuite with SparkSessionForTests {

  private lazy val place = new LogPlace(
    TwoPhaseSettings(
      LogOptions(
        Some(java.nio.file.Files.createTempDirectory("wal").toString),
        "main",
        ForeignQuery.Refuse,
        LostPart.Fail
      )
    ).storage
  )

  private final class Notes extends CheckpointCommitter {
    var done = Map.empty[String, Long]

    override def isCommitted(chunk: Chunk): Boolean             = false
    override def commit(chunk: Chunk): Unit                     = ()
    override def forgetBefore(query: String, epoch: Long): Unit = done += query -> epoch
    override def isOver(query: String, epoch: Long): Boolean    = done.get(query).exists(_ > epoch)
  }

  test("a log that was restored with an older checkpoint sends nothing of what its notes call over") {
    spark
    var sent  = Vector.empty[Long]
    val notes = new Notes
    def run   = new ChunkCommitter(
      (chunk, _) => { sent :+= chunk.epochNumber; CommitOutcome.Committed },
      notes,
      EpochTimes.none,
      place,
      "the table of notes",
      new ChunkCommitter.Turns
    )
    def chunk(epoch: Long) =
      Prepared("chunk", ChunkToken("query", Some(epoch), 0, SpoolFile(s"f$epoch", 1, level = 0)).text, 1, 1)

    val first = run
    (7L to 9L).foreach(epoch => first.commit(chunk(epoch)))
    val restored = run
    val refused  = intercept[StoplogException](restored.commit(chunk(8)))
    assert(refused.getCondition === "STOPLOG_WAL_EPOCH_AHEAD")
    assert(sent === Vector(7L, 8L, 9L))
    run.commit(chunk(9)) // which Spark repeats when it has not heard of it
    assert(sent === Vector(7L, 8L, 9L, 9L))
  }

  test("a chunk whose note another committer keeps is refused before anything is asked or sent") {
    spark
    val silent = new CheckpointCommitter {
      override def isCommitted(chunk: Chunk): Boolean             = fail("asked")
      override def commit(chunk: Chunk): Unit                     = fail("noted")
      override def forgetBefore(query: String, epoch: Long): Unit = ()
      override def isOver(query: String, epoch: Long): Boolean    = fail("asked")
    }
    var sent                           = Vector.empty[Option[String]]
    def chunk(notesAt: Option[String]) = {
      val token = ChunkToken("query", Some(7), 0, SpoolFile("f", 1, level = 0), notesAt = notesAt)
      Prepared("chunk-1", token.text, 1, 1)
    }
    def commit(notes: CheckpointCommitter, notesAt: Option[String]) = new ChunkCommitter(
      (_, _) => { sent :+= notesAt; CommitOutcome.Committed },
      notes,
      EpochTimes.none,
      place,
      "the table b|c",
      new ChunkCommitter.Turns
    ).commit(chunk(notesAt))
    for (former <- Seq("the table b", "files of the sink's log")) {
      val refused = intercept[StoplogException](commit(silent, Some(former)))
      assert(refused.getCondition === "STOPLOG_WAL_NOTES_MOVED")
      for (said <- Seq(former, "the table b|c", "chunk-1", place.location))
        assert(refused.getMessage.contains(said))
    }
    // A release before kept no place.
    for (notesAt <- Seq(Some("the table b|c"), None)) commit(new Notes, notesAt)
    assert(sent === Vector(Some("the table b|c"), None))
  }
}
