// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import stoplog.laws.PathLaws
import stoplog.part.{Closed, FinishedPart, LastWriter, Open, PartRows, Pending, Resume, SpoolFile, Spooled}
import stoplog.rolling.RollReason

class RecordCodecSuite extends AnyFunSuite {
  private val epoch = GoldenRecords.whole("record-v1-epoch.json")

  private val beside = GoldenRecords.whole("record-v1-beside.json")

  private val compaction = GoldenRecords.whole("record-v1-compact.json")

  private def golden(file: String): Array[Byte] = {
    val in = getClass.getResourceAsStream(s"/golden/$file")
    try in.readAllBytes()
    finally in.close()
  }

  test("golden records decode, and encode to the same bytes") {
    for ((file, record) <- GoldenRecords.whole ++ GoldenCompletion.whole) {
      assert(RecordCodec.decode(golden(file)) === Right(record), file)
      assert(new String(RecordCodec.encode(record), UTF_8) === new String(golden(file), UTF_8), file)
    }
  }

  test("golden deltas decode, and encode to the same bytes") {
    GoldenRecords.deltas.foldLeft(compaction -> RecordCodec.encodeWhole(compaction)) {
      case ((before, base), (file, record)) =>
        val delta = StateDelta.between(before.state, record.state).get
        val again = RecordCodec.encodeDelta(record, Base(compaction.seq, base.checksum), delta)
        assert(new String(again.bytes, UTF_8) === new String(golden(file), UTF_8), file)
        RecordCodec.read(golden(file)) match {
          case Right(read: StoredRecord.Delta) => assert(read.on(before.state) === Right(record), file)
          case other                           => fail(s"$file: $other")
        }
        assert(isTorn(golden(file)), "it is no whole record")
        record -> again
    }
  }

  test("a truncated delta or a flipped bit is torn") {
    val bytes = golden("record-v1-delta-epoch.json")
    for (length <- bytes.indices) assert(isUnread(bytes.take(length)), s"$length bytes")
    val version = new String(bytes, UTF_8).indexWhere(_.isDigit)
    for {
      at  <- bytes.indices if at != version
      bit <- Seq(at % 8, (at + 3) % 8)
    } {
      val flipped = bytes.clone()
      flipped(at) = (bytes(at) ^ (1 << bit)).toByte
      assert(isUnread(flipped), s"byte $at, bit $bit")
    }
  }

  test("every record has version 1") {
    for (record <- (GoldenRecords.whole ++ GoldenCompletion.whole).values)
      assert(new String(RecordCodec.encode(record), UTF_8).startsWith("""{"version":1,"""))
    assert(RecordCodec.Version === 1)
  }

  test("random records survive encoding and decoding") {
    val records = new RandomRecords(seed = 42)
    for (_ <- 1 to 1000) {
      val record = records.next()
      assert(RecordCodec.decode(RecordCodec.encode(record), Published.Prepared) === Right(record))
    }
  }

  test("a truncated record is torn") {
    for {
      record <- Seq(epoch, beside, compaction)
      bytes = RecordCodec.encode(record)
      length <- bytes.indices
    } assert(isTorn(bytes.take(length)), s"$length of ${bytes.length} bytes")
  }

  test("a record with trailing data is torn, except white space") {
    val bytes = RecordCodec.encode(epoch)
    assert(isTorn(bytes ++ bytes))
    assert(isTorn(bytes ++ "}".getBytes(UTF_8)))
    assert(isTorn(bytes ++ new Array[Byte](512)), "a file that was extended by a file system after a crash")
    assert(RecordCodec.decode(bytes ++ "\n".getBytes(UTF_8)) === Right(epoch))
  }

  test("a record that an editor has formatted is read") {
    val mapper = new com.fasterxml.jackson.databind.ObjectMapper()
    for (record <- Seq(epoch, beside, compaction)) {
      val tree = mapper.readTree(RecordCodec.encode(record))
      assert(RecordCodec.decode(tree.toPrettyString.getBytes(UTF_8)) === Right(record))
    }
  }

  test("a record with any flipped bit is rejected") {
    for {
      record <- Seq(epoch, beside, compaction)
      bytes   = RecordCodec.encode(record)
      version = new String(bytes, UTF_8).indexWhere(_.isDigit)
      at  <- bytes.indices
      bit <- Seq(at % 8, (at + 3) % 8)
    } {
      val flipped = bytes.clone()
      flipped(at) = (bytes(at) ^ (1 << bit)).toByte
      val result = RecordCodec.decode(flipped)
      // Flips of the version's digit make no version, or a newer version.
      val harmless = result.forall(_ == record)
      if (!(if (at == version) harmless else isTorn(result))) fail(s"byte $at, bit $bit: $result")
    }
  }

  test("empty and foreign bytes are torn") {
    for (
      text <- Seq("", " ", "null", "17", "[]", "{}", "\"record\"", "{\"version\":1}",
        "{\"version\":1,\"record\":[]}")
    )
      assert(isTorn(text.getBytes(UTF_8)), text)
    assert(isTorn(new Array[Byte](4096)))
  }

  test("a newer version is rejected with its number, regardless of the content") {
    val newer = RecordCodec.Version + 1
    for (record <- Seq("{}", "[]", "\"anything\""))
      assert(
        RecordCodec.decode(s"""{"version":$newer,"record":$record}""".getBytes(UTF_8)) === Left(
          RecordCodec.TooNew(newer)
        )
      )
  }

  test("an intact record without a required field is torn, and names the field") {
    val body    = """{"seq":0}"""
    val crc     = new java.util.zip.CRC32C()
    val written = { crc.update(body.getBytes(UTF_8)); "%08x".format(crc.getValue) }
    RecordCodec.decode(s"""{"version":1,"crc32c":"$written","record":$body}""".getBytes(UTF_8)) match {
      case Left(RecordCodec.Torn(why)) => assert(why.contains("'kind'"))
      case other                       => fail(s"$other")
    }
  }

  test("a record with a path outside the sink in any field is rejected") {
    val part   = Pending("b", "p", Closed("_stoplog/main/open/p"), 1, PartRows(1, 0, 0), RollReason.Size)
    val open   = Open("b", "p", Resume("_stoplog/main/open/p"), 1, PartRows(1, 0, 0), LastWriter(0, None))
    val marker = Marker("b", 1, MarkerForm.Json, "main", "c", 0, None, Totals.nothing)
    val small  = FinishedPart("b", "p", 1, 1, 0)
    def publishing(part: Pending)        = epoch.copy(publish = Vector(part))
    def leaving(open: Open)              = epoch.copy(state = epoch.state.copy(open = Vector(open)))
    def remembering(small: FinishedPart) = epoch.copy(state = epoch.state.copy(small = Vector(small)))
    for (path <- PathLaws.elsewhere) {
      val records = Seq(
        publishing(part.copy(bucket = path)),
        publishing(part.copy(name = path)),
        publishing(part.copy(bucket = "", name = path)),
        publishing(part.copy(bucket = "", handle = Closed(path))),
        publishing(part.copy(bucket = "", handle = Resume(path))),
        publishing(part.copy(handle = Closed(path))),
        publishing(part.copy(handle = Resume(path))),
        leaving(open.copy(bucket = path)),
        leaving(open.copy(name = path)),
        leaving(open.copy(handle = Resume(path))),
        leaving(open.copy(spooled = Spooled("1", Vector(SpoolFile(path, 1, 0)), 1))),
        remembering(small.copy(bucket = path)),
        remembering(small.copy(name = path)),
        epoch.copy(replace = Vector(small.copy(bucket = path))),
        epoch.copy(replace = Vector(small.copy(name = path))),
        epoch.copy(follow = FollowUp(Some(Manifest(path, None)), Vector.empty)),
        epoch.copy(follow = FollowUp(None, Vector(marker.copy(bucket = path)))),
        epoch.copy(state = epoch.state.copy(live = Vector(LiveBucket(path, 0, Totals.nothing, 0))))
      )
      for ((record, number) <- records.zipWithIndex)
        RecordCodec.decode(RecordCodec.encode(record)) match {
          case Left(RecordCodec.Elsewhere(_)) =>
          case other                          => fail(s"$path in record $number: $other")
        }
    }
    for (name <- Seq("", ".", "a/b"))
      assert(RecordCodec.decode(RecordCodec.encode(publishing(part.copy(name = name)))).isLeft, name)
  }

  test("names and tokens of sinks without files are not checked as paths") {
    val theirs = Pending("", "/x/../y", Closed("../z"), 1, PartRows(1, 0, 0), RollReason.Checkpoint)
    val record = epoch.copy(publish = Vector(theirs))
    assert(RecordCodec.decode(RecordCodec.encode(record), Published.Prepared) === Right(record))
    assert(RecordCodec.decode(RecordCodec.encode(record)).isLeft, "in the log of a sink of files")
  }

  private def isUnread(bytes: Array[Byte]): Boolean = RecordCodec.read(bytes) match {
    case Left(RecordCodec.Torn(_)) => true
    case _                         => false
  }

  private def isTorn(bytes: Array[Byte]): Boolean = isTorn(RecordCodec.decode(bytes))

  private def isTorn(decoded: Either[RecordCodec.Problem, LogRecord]): Boolean = decoded match {
    case Left(RecordCodec.Torn(_)) => true
    case _                         => false
  }
}
