// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._

class HeartbeatSuite extends AnyFunSuite {
  private val directory = "_stoplog/main/alive"

  private final class Fixture {
    val clock = new ManualClock(1000)
    val notes = new MemoryNotes(clock) {
      override def delete(paths: Seq[String]): Unit = {
        assert(paths.nonEmpty, "a request for nothing")
        super.delete(paths)
      }
    }
    val heart                 = new Heartbeat(notes, "main", mine)
    def beats: Vector[String] = Heartbeat.all(notes, "main").map(_.name).sorted
  }

  test("each heartbeat replaces the previous file and names its run") {
    val world = new Fixture
    import world._
    for (count <- 0 to 2) {
      heart.beat()
      assert(beats === Vector(s"${mine.value}-$count"))
      assert(notes.texts === Map(s"$directory/${mine.value}-$count" -> mine.value))
    }
    assert(Heartbeat.of(mine, Heartbeat.all(notes, "main")).size === 1)
    assert(Heartbeat.of(other, Heartbeat.all(notes, "main")).isEmpty)
  }

  test("the first heartbeat deletes files of killed runs, and later heartbeats only their own") {
    val world = new Fixture
    import world._
    val left = s"$directory/${other.value}-8"
    notes.putIfAbsent(left, Array.emptyByteArray)
    heart.beat()
    assert(beats === Vector(s"${mine.value}-0"))
    notes.putIfAbsent(left, Array.emptyByteArray)
    heart.beat()
    assert(beats === Vector(s"${mine.value}-1", s"${other.value}-8"))
  }

  test("a heartbeat next to other runs deletes none of their files") {
    val world = new Fixture
    import world._
    notes.putIfAbsent(s"$directory/${other.value}-8", Array.emptyByteArray)
    heart.beatKeepingOthers()
    assert(beats === Vector(s"${mine.value}-0", s"${other.value}-8"))
  }

  test("a stopped run deletes its own heartbeat and keeps those of other runs") {
    val world = new Fixture
    import world._
    heart.beatKeepingOthers()
    notes.putIfAbsent(s"$directory/${other.value}-8", Array.emptyByteArray)
    heart.stop()
    heart.stop()
    assert(beats === Vector(s"${other.value}-8"))
    assert(heart.writtenAtMillis === None)
  }

  test("the time of the newest heartbeat is the storage's modification time") {
    val world = new Fixture
    import world._
    assert(heart.writtenAtMillis === None)
    heart.beat()
    clock.advance(500)
    heart.beat()
    assert(heart.writtenAtMillis === Some(1500L))
    notes.delete(notes.texts.keys.toSeq)
    assert(heart.writtenAtMillis === None)
  }
}
