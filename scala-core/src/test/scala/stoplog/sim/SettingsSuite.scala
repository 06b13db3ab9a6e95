// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import org.scalatest.funsuite.AnyFunSuite

/** Worlds with other stores, and with others at work: what must hold in the plain one must hold in them. */
class SettingsSuite extends AnyFunSuite {
  import Readers._

  // 10 of each in the ordinary run, 200 in the long one
  private val seeds = Search.first until Search.first + (Search.schedules / 1000).max(10L)

  for (store <- StoreKind.all) {
    holds(Settings.starting(store))
    holds(Settings.starting(store).merging)
    holds(Settings.twoSinks(store))
    holds(Settings.rewinding(store))
    holds(Settings.rewindingAndCompacting(store))
    holds(Settings.resetting(store))
    holds(Settings.compacting(store))
    holds(Settings.finishing(store))
    holds(Settings.finishing(store).merging)
    holds(Settings.rejecting(store))
    holds(Settings.rejectingAndRewinding(store))
    holds(Settings.skipping(store))
    holds(Settings.skipping(store).merging)
    holds(Settings.readers(store, AtOnce))
    holds(Settings.readers(store, AtOnce).merging)
    holds(Settings.readers(store, ByMark))
    for (readers <- Vector(ByManifest, ByMarker)) {
      holds(Settings.readers(store, readers))
      holds(Settings.markers(store, readers))
    }
  }
  for (store <- Vector(StoreKind.Replacing, StoreKind.Renaming)) { // objects are never cut
    holds(Settings.uncut(store, Patient))
    holds(Settings.uncut(store, AtOnce))
  }
  holds(Settings.renaming)
  holds(Settings.renaming.merging)
  holds(Settings.copying.uncompacted)
  holds(Settings.copying.merging)
  holds(Settings.answersRepeated)
  holds(Settings.copiedAnswersRepeated)
  holds(Settings.copiers)
  holds(Settings.givenUp)
  holds(Settings.mounts)
  holds(Settings.adopting)
  holds(Settings.adoptingRestored)
  holds(Settings.names(Patient))
  holds(Settings.names(AtOnce))
  holds(Settings.checkpoint(CheckpointFate.LostWithPower))
  holds(Settings.checkpoint(CheckpointFate.Restored))
  holds(Settings.checkpoint(CheckpointFate.Cloned))
  holds(Settings.checkpoint(CheckpointFate.RestoredBesideDriver))

  private def holds(setting: Setting): Unit = test(s"${setting.name}: each row appears exactly once") {
    val started = System.nanoTime()
    val found   = Search.firstFailure(seeds, Mutation.None, setting)
    info(s"${seeds.size} schedules in ${(System.nanoTime() - started) / 1000000} ms")
    found.foreach(failed => fail(Search.explain(failed.seed, Mutation.None, setting).getOrElse(s"$failed")))
  }
}
