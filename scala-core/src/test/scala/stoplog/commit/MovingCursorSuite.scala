// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.AnnouncementCursor.Position
import stoplog.commit.JobsUnderTest._
import stoplog.log.{LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.storage.{DelegatingFileStore, Digits, FileStore}

/** A cursor that another process moves between the listing and the reading of its positions. */
class MovingCursorSuite extends AnyFunSuite {

  test("a position that another process replaces is read at its new place") {
    moving(from = 5, to = 8)(files => assert(cursor(files).read() === Some(Position(8, "7e57"))))
  }

  test("a log of a job is kept for a target whose position moves, and no record is trimmed before") {
    moving(from = 5, to = 8) { files =>
      assert(!StoredCursors.isOver(files, Log, record(seq = 9), nowMillis = 0))
    }
    moving(from = 5, to = 8)(files => assert(new StoredCursors(files, Log).keepFrom(newest = 20) === 8))
  }

  test("a directory that always lists a position without a file is an error, and no new target") {
    within { place =>
      val files = new DelegatingFileStore(place.logs().files) {
        override def names(directory: String): Vector[String] = Vector(Digits.of(5))
      }
      intercept[IllegalStateException](cursor(files).read())
    }
  }

  test("the log of a job is needed until the snapshot of its target is delivered") {
    within { place =>
      val files = place.logs().files
      cursor(files).announceSnapshot()
      assert(!StoredCursors.isOver(files, Log, record(seq = 0), nowMillis = 0))
      cursor(files).write(Position(1, "7e57"))
      assert(StoredCursors.isOver(files, Log, record(seq = 0), nowMillis = 0))
    }
  }

  private val Log = "replace"

  private def cursor(files: FileStore) = new AnnouncementCursor(files, Log, "table")

  /** Another process moves the cursor by one after each listing of the positions. */
  private def moving(from: Long, to: Long)(body: FileStore => Unit): Unit = within { place =>
    val files = place.logs().files
    var at    = from
    cursor(files).write(Position(at, "7e57"))
    body(new DelegatingFileStore(files) {
      override def names(directory: String): Vector[String] = {
        val found = super.names(directory)
        if (directory.endsWith("/table") && at < to) {
          at += 1
          cursor(files).write(Position(at, "7e57"))
        }
        found
      }
    })
    assert(at === to)
  }

  private def record(seq: Long): LogRecord = LogRecord(
    seq,
    RecordKind.Epoch(0),
    Samples.mine,
    writtenAtMillis = 0,
    Vector.empty,
    SinkState(QueryEpoch("q", Some(0)), Vector.empty, nextPart = 0, Map.empty)
  )
}
