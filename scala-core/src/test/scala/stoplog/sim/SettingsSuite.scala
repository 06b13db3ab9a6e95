// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import org.scalatest.funsuite.AnyFunSuite

/** Worlds with other stores, and with others at work: what must hold in the plain one must hold in them. */
class SettingsSuite extends AnyFunSuite {
  import Readers._
  import StoreKind._

  private val seeds = 0L until Search.schedules / 50

  holds(Settings.renaming)
  holds(Settings.renaming.merging)
  holds(Settings.copying.unmerged)
  holds(Settings.answersRepeated)
  holds(Settings.copiedAnswersRepeated.unmerged)
  holds(Settings.names(Patient))
  holds(Settings.readers(Renaming, AtOnce))
  holds(Settings.readers(Renaming, AtOnce).merging)

  holds(Settings.givenUp)
  holds(Settings.starting(Linking))
  holds(Settings.starting(Renaming))

  known("1: a part that was copied is published once more", Settings.copying.merging, "a second time")
  known("1: a part that was copied comes back", Settings.readers(Copying, AtOnce), "comes back")
  known(
    "1: one that was merged comes back",
    Settings.readers(Copying, AtOnce).merging,
    "comes back|a second time"
  )

  CheckpointFate.behind.foreach { fate =>
    known(
      s"2: another batch of the same number is skipped",
      Settings.checkpoint(fate),
      "no record has the rows"
    )
  }

  known("4: a part with a second link is deleted", Settings.copiers, "rows are missing|has lost|rows and has")

  known("5: a start misses a listed part", Settings.readers(Renaming, ByManifest), "STOPLOG_PART_LOST")
  for (readers <- Vector(ByManifest, ByMarker)) {
    known("5: the mark waits for the listener", Settings.listeners(Linking, readers), "STOPLOG_PART_LOST")
    known("5: the mark waits for the listener", Settings.listeners(Renaming, readers), "STOPLOG_PART_LOST")
    known("5: the mark waits for the listener", Settings.listeners(Copying, readers), "comes back")
  }

  known("1: a second start publishes once more", Settings.starting(Copying).merging, "a second time")
  known(
    "10: adopting one's own query sets the log back",
    Settings.adopting,
    "is decided twice|begins at offset"
  )

  known("a part that has two names comes back", Settings.readers(Linking, AtOnce), "comes back")
  known("a name that was taken away comes back with the power", Settings.names(AtOnce), "comes back")

  private def holds(setting: Setting): Unit = test(s"${setting.name}: each row once") {
    val started = System.nanoTime()
    val found   = Search.firstFailure(seeds, Mutation.None, setting)
    info(s"${seeds.size} schedules in ${(System.nanoTime() - started) / 1000000} ms")
    found.foreach(failed => fail(Search.explain(failed.seed, Mutation.None, setting).getOrElse(s"$failed")))
  }

  /** A hole that is open, by its number in issue 21. Once it is closed, this fails, and becomes a [[holds]].
    *
    * @param says what the oracle says about it
    */
  private def known(hole: String, setting: Setting, says: String): Unit =
    test(s"known, and open: $hole (${setting.name})") {
      Search.firstFailure(0L until SettingsSuite.KnownWithin, Mutation.None, setting) match {
        case None         => fail("not found any more: assert that it holds")
        case Some(failed) =>
          val message = String.valueOf(failed.problem.getMessage)
          info(s"seed ${failed.seed}: $message")
          assert(says.r.findFirstIn(message).isDefined, Search.explain(failed.seed, Mutation.None, setting))
      }
    }
}

private object SettingsSuite {

  /** Within so many seeds each of the open holes is found. */
  val KnownWithin = 2000L
}
