// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.laws.UnusedFiles
import stoplog.log._
import stoplog.part.RunId
import stoplog.storage.MarkerNames
import stoplog.storage.{FileInfo, PutOutcome}
import stoplog.thread.Parallel

/** Writers of markers that share a bucket, and processes that carry out one record. */
class MarkerWriterSuite extends AnyFunSuite {

  private final class Fixture(form: MarkerForm = MarkerForm.Json) {
    val notes              = new MemoryNotes
    var noted              = Map.empty[LogRecord, Set[String]].withDefaultValue(Set.empty)
    var before: () => Unit = () => () // the next marker is created

    /** A store in which something else happens just before a file is created. */
    private object files extends UnusedFiles {
      override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
        val now = before
        before = () => ()
        now()
        notes.createIfAbsent(path)(content)
      }
      override def read(path: String): Option[Array[Byte]]                                = notes.read(path)
      override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit =
        notes.visit(directory, prefix)(each)
    }

    def record(
        seq: Long,
        rows: Long,
        version: Int = 1,
        sinkId: String = "main",
        run: RunId = mine
    ): LogRecord = {
      val marker = Marker("b", version, form, sinkId, "idle", 0, None, Totals(1, rows, 10 * rows))
      val state  = SinkState(QueryEpoch("q", Some(9)), Vector.empty, 0, Map.empty)
      LogRecord(seq, RecordKind.Roll, run, 0, Vector.empty, state, FollowUp(None, Vector(marker)))
    }

    /** A process carries the record out. */
    def announce(record: LogRecord, log: String = "main", dies: Boolean = false): Unit = {
      val followUps = FollowUps("main", CompleteRule.Never, form, Manifests.Off, files)
      val writer    = new MarkerWriter(log, followUps, Parallel.sequential, StorageRetry.never, Faults.none)
      try
        writer.announce(record, noted(record)) { paths =>
          if (dies) throw new InterruptedException("the process died")
          noted += record -> (noted(record) ++ paths)
        }
      catch { case _: InterruptedException if dies => () }
    }

    def names: Set[String] = notes.texts.keySet

    /** The rows that a marker counts, and those that came with it. */
    def counts(version: Int): (Long, Long) = {
      val json = JsonOf(notes.texts(MarkerNames.path("b", version)))
      (json.get("rows").asLong, json.get("added").get("rows").asLong)
    }
  }

  private object JsonOf {
    private val mapper      = new com.fasterxml.jackson.databind.ObjectMapper()
    def apply(text: String) = mapper.readTree(text)
  }

  test("a total includes rows that another writer of the sink has marked after the decision") {
    val world = new Fixture
    import world._
    announce(record(0, rows = 10), log = "batch-1")
    announce(record(3, rows = 5))
    announce(record(4, rows = 3, version = 2))
    assert((1 to 3).map(counts) === Seq((10L, 10L), (15L, 5L), (18L, 3L)))
  }

  test("a writer that loses the race for a version counts the winner's rows") {
    val world = new Fixture
    import world._
    before = () => announce(record(0, rows = 10), log = "batch-1")
    announce(record(3, rows = 5))
    assert(Seq(1, 2).map(counts) === Seq((10L, 10L), (15L, 5L)))
  }

  test("a total excludes markers of other sinks and other programs") {
    val world = new Fixture
    import world._
    announce(record(7, rows = 1))
    announce(record(8, rows = 100, version = 2, sinkId = "other"), log = "other")
    notes.putIfAbsent("b/_SUCCESS.3", Array.emptyByteArray)
    notes.putIfAbsent("b/_SUCCESS.4", "{}".getBytes)
    announce(record(9, rows = 2, version = 2))
    assert(counts(5) === ((3L, 2L)))
    announce(record(11, rows = 4, version = 6))
    assert(counts(6) === ((7L, 4L)))
  }

  test("each process recognizes the marker of its record, regardless of its creator and version") {
    val world = new Fixture
    import world._
    val decided = record(3, rows = 5)
    before = () => announce(record(0, rows = 10), log = "batch-1")
    announce(decided)
    announce(record(4, rows = 1, version = 3))
    val files = notes.texts
    announce(decided)
    assert(notes.texts === files)
    assert(counts(2) === ((15L, 5L)))
  }

  test("two processes that execute the same record create a single marker") {
    val world = new Fixture
    import world._
    before = () => announce(record(3, rows = 5))
    announce(record(3, rows = 5))
    assert(names === Set("b/_SUCCESS"))
  }

  test("a marker of a deleted log is not mistaken for another record's marker") {
    val world = new Fixture
    import world._
    announce(record(3, rows = 5))
    announce(record(3, rows = 7, run = other))
    assert(Seq(1, 2).map(counts) === Seq((5L, 5L), (12L, 7L)))
  }

  test("versions and totals restart if the markers of a bucket are deleted") {
    val world = new Fixture
    import world._
    announce(record(3, rows = 5))
    val decided = record(4, rows = 7, version = 2)
    notes.delete(Seq("b/_SUCCESS"))
    announce(decided)
    assert(names === Set("b/_SUCCESS"))
    assert(counts(1) === ((7L, 7L)))
    announce(decided) // the first process died before the mark of the record
    assert(names === Set("b/_SUCCESS"))
    assert(counts(1) === ((7L, 7L)))
  }

  test("a record recognizes its marker of a lower version, also below a marker of another sink") {
    val world = new Fixture
    import world._
    for (seq <- 1 to 2) announce(record(seq.toLong, rows = 5, version = seq))
    notes.delete(Seq("b/_SUCCESS", "b/_SUCCESS.2"))
    val decided = record(4, rows = 7, version = 3)
    announce(decided)
    announce(record(8, rows = 100, version = 2, sinkId = "other"), log = "other")
    announce(decided)
    assert(names === Set("b/_SUCCESS", "b/_SUCCESS.2"))
    assert(counts(1) === ((7L, 7L)))
  }

  test("a process recognizes its record's marker although a reader has taken the previous marker") {
    val world = new Fixture
    import world._
    for (seq <- 1 to 3) announce(record(seq.toLong, rows = 1, version = seq))
    notes.delete(Seq("b/_SUCCESS.2"))
    announce(record(3, rows = 1, version = 3))
    assert(names === Set("b/_SUCCESS", "b/_SUCCESS.3"))
  }

  test("an empty marker of another writer is not mistaken for the record's marker") {
    val world = new Fixture(MarkerForm.Empty)
    import world._
    announce(record(0, rows = 10), log = "batch-1")
    announce(record(3, rows = 5))
    assert(names === Set("b/_SUCCESS", "b/_SUCCESS.2"))
  }

  test("an empty marker is recognized through its note on every repetition") {
    val world = new Fixture(MarkerForm.Empty)
    import world._
    announce(record(0, rows = 10), log = "batch-1")
    for (_ <- 1 to 3) announce(record(3, rows = 5))
    assert(names === Set("b/_SUCCESS", "b/_SUCCESS.2"))
  }

  test("a crash between an empty marker and its note adds a marker and loses none") {
    val world = new Fixture(MarkerForm.Empty)
    import world._
    announce(record(3, rows = 5), dies = true)
    for (_ <- 1 to 2) announce(record(3, rows = 5))
    assert(names === Set("b/_SUCCESS", "b/_SUCCESS.2"))
  }
}
