// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._

class HeartbeatSuite extends AnyFunSuite {
  private val directory = "_stoplog/main/alive"

  private final class World {
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

  test("each beat takes the place of the one before, and names its run") {
    val world = new World
    import world._
    for (count <- 0 to 2) {
      heart.beat()
      assert(beats === Vector(s"${mine.value}-$count"))
      assert(notes.texts === Map(s"$directory/${mine.value}-$count" -> mine.value))
    }
    assert(Heartbeat.of(mine, Heartbeat.all(notes, "main")).size === 1)
    assert(Heartbeat.of(other, Heartbeat.all(notes, "main")).isEmpty)
  }

  test("the first beat removes what killed runs have left, later ones nothing but their own") {
    val world = new World
    import world._
    val left = s"$directory/${other.value}-8"
    notes.putIfAbsent(left, Array.emptyByteArray)
    heart.beat()
    assert(beats === Vector(s"${mine.value}-0"))
    notes.putIfAbsent(left, Array.emptyByteArray)
    heart.beat()
    assert(beats === Vector(s"${mine.value}-1", s"${other.value}-8"))
  }

  test("a beat beside others removes none of them, not even at first") {
    val world = new World
    import world._
    notes.putIfAbsent(s"$directory/${other.value}-8", Array.emptyByteArray)
    heart.beatBeside()
    assert(beats === Vector(s"${mine.value}-0", s"${other.value}-8"))
  }

  test("a run that is over leaves none, and those of other runs alone") {
    val world = new World
    import world._
    heart.beatBeside()
    notes.putIfAbsent(s"$directory/${other.value}-8", Array.emptyByteArray)
    heart.stop()
    heart.stop()
    assert(beats === Vector(s"${other.value}-8"))
    assert(heart.writtenAtMillis === None)
  }

  test("when the newest beat was written, the storage says") {
    val world = new World
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
