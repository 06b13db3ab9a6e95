// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.OrphanCleaner.{Found, Judged, Kind, OrphanStatus}
import stoplog.fault.{Faults, InjectedFault}
import stoplog.storage.{NewPart, NoFiles, ReplacedFiles}
import stoplog.thread.Parallel

/** What of the files that no reader sees is removed. */
class OrphanCleanerSuite extends AnyFunSuite {

  test("deletes parts, spooled rows and replaced files that no record needs, and counts files only") {
    val place = new Fixture
    place.leave("part")
    place.leave("another")
    place.beside()
    place.finished.aside = Vector(0, 1, 2)
    place.world.clock.advance(OrphanCleaner.GraceMillis + 1)
    assert(place.sweeper.sweep(Samples.mine) === 3)
    assert(place.world.parts.staged().map(_.token) === place.needed)
    assert(place.world.spoolFiles.staged().isEmpty)
    assert(place.finished.forgotten === Vector(0L), "records 1 and 2 may still have to be carried out")
    assert(place.sweeper.sweep(Samples.mine) === 0)
  }

  test("restores files hidden for a trimmed record, as the record may be a cancelled compaction") {
    val place = new Fixture
    place.world.records.delete(Seq(0))
    place.finished.aside = Vector(0, 1)
    place.sweeper.sweep(Samples.mine)
    assert(place.finished.broughtBack === Vector(0L) && place.finished.forgotten.isEmpty)
    place.finished.isAtOnce = false
    val verdicts = place.sweeper.look().filter(_.found.kind == Kind.Replaced).map(_.verdict)
    assert(verdicts === Vector(OrphanStatus.Unclear, OrphanStatus.InUse))
    place.sweeper.sweep(Samples.mine)
    assert(place.finished.broughtBack.size === 1 && place.finished.forgotten.isEmpty)
  }

  test("restores files also if an orphan cannot be deleted") {
    val place = new Fixture
    place.world.records.delete(Seq(0))
    place.finished.aside = Vector(0)
    place.leave("part")
    place.world.clock.advance(OrphanCleaner.GraceMillis + 1)
    intercept[InjectedFault](place.sweeperWith(step => throw new InjectedFault(step)).sweep(Samples.mine))
    assert(place.finished.broughtBack === Vector(0L))
  }

  test("keeps recent files, and files that another run must delete") {
    val place = new Fixture
    place.leave("part")
    place.beside()
    place.world.clock.advance(OrphanCleaner.GraceMillis)
    assert(place.sweeper.sweep(Samples.mine) === 0)
    place.world.clock.advance(1)
    assert(place.sweeper.sweep(Samples.other) === 0)
    assert(place.world.parts.staged().size === 2 && place.world.spoolFiles.staged().size === 1)
  }

  test("a look returns the verdict for each file and changes nothing") {
    val place = new Fixture
    val left  = place.leave("part")
    place.finished.aside = Vector(0, 1)
    val young = place.sweeper.look()
    assert(
      young.map(_.verdict) === Vector(
        OrphanStatus.InUse,
        OrphanStatus.Recent,
        OrphanStatus.Orphan,
        OrphanStatus.InUse
      )
    )
    place.world.clock.advance(OrphanCleaner.GraceMillis + 1)
    assert(
      place.sweeper.look() === Vector(
        Judged(Found(Kind.Part, place.needed.head, isOld = true), OrphanStatus.InUse),
        Judged(Found(Kind.Part, left, isOld = true), OrphanStatus.Orphan),
        Judged(Found(Kind.Replaced, "0", isOld = true), OrphanStatus.Orphan),
        Judged(Found(Kind.Replaced, "1", isOld = true), OrphanStatus.InUse)
      )
    )
    assert(place.world.parts.staged().size === 2 && place.finished.forgotten.isEmpty)
  }

  /** A log of two records, whose newest names one open part. */
  private final class Fixture {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a")
    val needed: Vector[String] = world.newest.state.open.map(_.handle.token)
    world.parts.modifiedAtMillis = world.clock.millis()

    val finished = new Aside
    val sweeper  = sweeperWith(Faults.none)

    def sweeperWith(faults: Faults): OrphanCleaner = new OrphanCleaner(
      SinkStores.of(world.log, world.parts, world.spoolFiles, finished),
      world.log,
      Parallel.sequential,
      world.clock,
      faults
    )

    def leave(name: String): String = world.parts.create(NewPart("a", name, Samples.mine)).finish().token

    def beside(): String = world.spoolFiles.write(NewPart("a", "rows", Samples.mine))(_.write(1))
  }

  private final class Aside extends ReplacedFiles(NoFiles, "main") {
    var aside       = Vector.empty[Long]
    var forgotten   = Vector.empty[Long]
    var broughtBack = Vector.empty[Long]
    var isAtOnce    = true

    override def hidesAtOnce: Boolean = isAtOnce

    override def sizeBytes(path: String): Option[Long]  = None
    override def hide(seq: Long, path: String): Unit    = ()
    override def restore(seq: Long, path: String): Unit = ()
    override def restoreLate(seq: Long): Unit           = broughtBack :+= seq
    override def keep(path: String, as: String): Unit   = ()
    override def hiddenFor(): Vector[Long]              = aside
    override def purge(seq: Long): Unit                 = {
      forgotten :+= seq
      aside = aside.filter(_ != seq)
    }
  }
}
