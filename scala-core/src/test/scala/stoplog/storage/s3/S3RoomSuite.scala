// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.Faults
import stoplog.part.Resume
import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings}
import stoplog.storage.s3.S3Token.S3Room._

class S3RoomSuite extends AnyFunSuite {

  test("concurrent writers never share an upload number, regardless of the number of runs") {
    // What each writer of a part may use until the next record, with a record after every other claim.
    val rooms = Iterator
      .iterate((1: Int, S3Token.S3Room.Writer(1): S3Token.S3Room)) { case (claims, room) =>
        val claimed  = room.claimed(Gaps.Allowed)
        val recorded = if (claims % 2 == 0) written(claimed, parts = claims % 3) else claimed
        (claims + 1, recorded)
      }
      .map(_._2)
      .take(100)
      .toVector
    val used = rooms.collect { case room: Writer => room.from to room.until }
    assert(used.size > 10)
    used.zip(used.drop(1)).foreach { case (before, after) => assert(after.head > before.last) }
    val last = rooms.last
    assert(last.isInstanceOf[Publisher])
    assert(last.from > used.last.last && last.from < LastNumber * 3 / 4)
  }

  test("a takeover adds no parts, and publishers use numbers after all possible writers") {
    assert(Writer(5).takenOver(Gaps.Allowed) === Publisher(5 + Allotted))
    assert(Writer(5).takenOver(Gaps.Allowed).takenOver(Gaps.Allowed) === Publisher(5 + Allotted))
    assert(Writer(5).until === 5 + Allotted - 1)
    assert(Writer(9900).takenOver(Gaps.Allowed) === Publisher(LastNumber), "the tail has a number")
  }

  test("without gaps in numbers, only the first run adds parts, followed by publishers") {
    assert(Writer(5).claimed(Gaps.Refused) === Publisher(5))
    assert(Writer(5).takenOver(Gaps.Refused) === Publisher(5))
    assert(Publisher(5).claimed(Gaps.Refused) === Publisher(5))
  }

  test("directory buckets and their access points are known by their names") {
    for (name <- Seq("data--usw2-az1--x-s3", "readers--usw2-az1--xa-s3"))
      assert(S3Objects.isDirectoryBucket(name), name)
    for (name <- Seq("data", "data-x-s3", "readers-xa-s3", "data--x-s3.example"))
      assert(!S3Objects.isDirectoryBucket(name), name)
  }

  test("mostBytes ends a part before its upload numbers run out") {
    val mebi = 1L << 20

    def mostOf(from: Option[S3Token.S3Room], waiting: Int = 0): Long = {
      val handle = S3Token.Handle.of(Array(1))
      val part   = S3Token.UploadedPart(1, 8 * mebi, handle)
      val token  = S3Token(
        base = "_stoplog/main/open/.part",
        target = "part",
        upload = from.map(S3Token.Upload(handle, Vector(part), _)),
        waiting = Vector.fill(waiting)(S3Token.Piece("piece", 8 * mebi)),
        tail = S3Token.Tail.empty,
        stale = Vector.empty
      )
      // Nothing is asked of S3.
      val store = new S3PartStore(
        new HadoopFiles("s3a://none/x", new HadoopSettings(new Configuration(false))),
        "main",
        S3Settings(),
        Faults.none
      )
      val output = store.resume(Resume(S3TokenCodec.encode(token)), token.sizeBytes)
      try output.mostBytes - output.position
      finally output.close()
    }
    assert(mostOf(from = None) === (9999 - 512) * 8 * mebi)
    assert(mostOf(Some(Writer(9000))) === (1000 - 512) * 8 * mebi)
    assert(mostOf(Some(Publisher(9000)), waiting = 480) === 8 * 8 * mebi)
    for (room <- Seq(Writer(9490), Publisher(9990))) assert(mostOf(Some(room)) === 0)
    assert(mostOf(Some(Publisher(9000)), waiting = 600) === 0)
  }

  private def written(room: S3Token.S3Room, parts: Int): S3Token.S3Room = room match {
    case Writer(from) => Writer(from + parts)
    case other        => other
  }
}
