// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32C

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{
  Closed, FinishedPart, LastWriter, Open, PartRows, Pending, Resume, RunId, SpoolFile, Spooled
}
import stoplog.rolling.RollReason

/** What a record says by what is in it. */
class LogRecordSuite extends AnyFunSuite {
  private val run      = RunId("aaaaaaaa-0000-4000-8000-000000000001")
  private val state    = SinkState(QueryEpoch("q", Some(1)), Vector.empty, 0, Map.empty)
  private val nothing  = LogRecord(1, RecordKind.Epoch(1), run, 0, Vector.empty, state)
  private val closed   = Pending("b", "p", Closed("t"), 1, PartRows(1, 0, 0), RollReason.Size)
  private val finished = FinishedPart("b", "p", 1, 1, 1)
  private val manifest = FollowUp(Some(Manifest("m", None)), Vector.empty)
  private val marker   =
    Marker("b", 1, MarkerForm.Json, "main", "idle", 1, None, Totals(1, 2, 3))
  private val markers = FollowUp(None, Vector(marker))

  test("a record needs settling if it has parts, replaced parts, a manifest or markers") {
    assert(!nothing.hasToBeSettled)
    val settled = Seq(
      nothing.copy(publish = Vector(closed)),
      nothing.copy(replace = Vector(finished)),
      nothing.copy(follow = manifest),
      nothing.copy(follow = markers)
    )
    for (record <- settled) assert(record.hasToBeSettled, record)
    assert(FollowUp.nothing.isEmpty)
  }

  test("totals add and subtract files, rows and bytes") {
    assert(Totals(1, 20, 300) + Totals(4, 50, 600) === Totals(5, 70, 900))
    assert(Totals(5, 70, 900) - Totals(4, 50, 600) === Totals(1, 20, 300))
  }

  test("the state contains the schema and the spooled files of open parts") {
    val beside = Spooled("", Vector(SpoolFile("s1", 1, 0), SpoolFile("s2", 1, 0)), 2)
    val open   = Open("b", "p", Resume("t"), 0, PartRows(0, 0, 0), LastWriter(0, Some(run)), beside)
    assert(state.copy(settings = Map("schema" -> "id INT")).schema === Some("id INT"))
    assert(state.schema === None)
    assert(state.copy(open = Vector(open)).spoolFiles === Set("s1", "s2"))
  }

  test("an intact record with a field of the wrong type is torn, naming the field") {
    val written = new String(RecordCodec.encode(nothing.copy(publish = Vector(closed))), UTF_8)
    val broken  = Seq(
      ("\"seq\":1", "\"seq\":\"1\"", "'seq' is not a whole number"),
      ("\"seq\":1", "\"seq\":1.5", "'seq' is not a whole number"),
      ("\"open\":[]", "\"open\":{}", "'open' is not a list"),
      ("\"kind\":\"epoch\"", "\"kind\":\"other\"", "unknown kind 'other'"),
      ("\"queryId\":\"q\",", "", "no field 'queryId'")
    )
    for ((before, after, why) <- broken) {
      assert(written.contains(before))
      val body = written.drop(written.indexOf("\"record\":") + 9).dropRight(1).replace(before, after)
      val crc  = new CRC32C()
      crc.update(body.getBytes(UTF_8))
      val bytes =
        s"""{"version":1,"crc32c":"${"%08x".format(crc.getValue)}","record":$body}""".getBytes(UTF_8)
      assert(
        RecordCodec.decode(bytes).left.exists {
          case RecordCodec.Torn(said) => said.contains(why)
          case _                      => false
        },
        after
      )
    }
  }

  test("bytes other than a record are torn with a reason") {
    val reasons = Seq(
      ""                              -> "it is empty",
      "[]"                            -> "not a JSON object",
      "{"                             -> "ends in the middle",
      "{}"                            -> "no version",
      """{"version":0,"record":{}}""" -> "no version",
      """{"version":1}"""             -> "contains no record",
      """{"version":1,"record":{}}""" -> "checksum"
    )
    for ((text, why) <- reasons)
      assert(
        RecordCodec.decode(text.getBytes(UTF_8)).left.exists {
          case RecordCodec.Torn(said) => said.contains(why)
          case _                      => false
        },
        text
      )
  }

  test("newerThan returns the newest record if newer than the given number") {
    val records = new MemoryRecords
    for (seq <- 0L to 3L) records.putIfAbsent(seq, RecordCodec.encode(nothing.copy(seq = seq)))
    assert(
      (records.newerThan(1), records.newerThan(2), records.newerThan(3)) === ((Some(3), Some(3), None))
    )
  }
}
