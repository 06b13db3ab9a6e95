// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import org.scalatest.funsuite.AnyFunSuite

/** Worlds with other stores, and with others at work: what must hold in the plain one must hold in them. */
class SettingsSuite extends AnyFunSuite {
  import Readers._

  private val seeds = Search.first until Search.first + Search.schedules / 50

  for (store <- StoreKind.all) {
    holds(Settings.starting(store))
    holds(Settings.starting(store).merging)
    holds(Settings.skipping(store))
    holds(Settings.skipping(store).merging)
    holds(Settings.readers(store, AtOnce))
    holds(Settings.readers(store, AtOnce).merging)
    for (readers <- Vector(ByManifest, ByMarker)) {
      holds(Settings.readers(store, readers))
      holds(Settings.listeners(store, readers))
    }
  }
  holds(Settings.renaming)
  holds(Settings.renaming.merging)
  holds(Settings.copying.unmerged)
  holds(Settings.copying.merging)
  holds(Settings.answersRepeated)
  holds(Settings.copiedAnswersRepeated)
  holds(Settings.copiers)
  holds(Settings.givenUp)
  holds(Settings.adopting)
  holds(Settings.names(Patient))
  holds(Settings.names(AtOnce))
  holds(Settings.checkpoint(CheckpointFate.LostWithPower))
  holds(Settings.checkpoint(CheckpointFate.Restored))
  holds(Settings.checkpoint(CheckpointFate.Cloned))
  // who finds the old driver's entry in commits/ begins behind a batch that only the new driver has planned
  known(
    "2: a backup is put in place beside a living driver",
    Settings.checkpoint(CheckpointFate.RestoredBesideDriver),
    "begins at offset"
  )

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
