// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun

/** Random lives of a query whose storage, rules and clock change, and the rules of the source that they need. */
class PlacesWalkSuite extends AnyFunSuite {
  private val Seeds = if (LongRun.isOn) 2000 else 50

  for (cleaning <- Seq(CleanSource.Keep, CleanSource.Delete, CleanSource.Archive("_away")))
    test(s"reads each row once, and the state follows existing files: $cleaning") {
      for (seed <- 1 to Seeds) failure(seed, cleaning, PlacesMutation.Unchanged).foreach(fail(_))
    }

  caught("another directory counts as the same one", PlacesMutation.AnyDirectory)
  caught("two listings forget a file", PlacesMutation.NoTime)
  caught("names that rules leave out are not there", PlacesMutation.OnlyWanted)
  caught("what the cleaner does not find was put away", PlacesMutation.CleanerTrusts, CleanSource.Delete)
  caught("intervals are measured with the wall clock", PlacesMutation.WallIntervals)

  private def caught(rule: String, mutation: PlacesMutation, cleaning: CleanSource = CleanSource.Keep): Unit =
    test(s"the random walk detects a broken rule: $rule") {
      val found = (1 to Seeds).iterator.flatMap(failure(_, cleaning, mutation)).nextOption()
      info(found.getOrElse(fail("not caught")))
    }

  private def failure(seed: Int, cleaning: CleanSource, mutation: PlacesMutation): Option[String] =
    try {
      new PlacesWalk(seed.toLong, cleaning, mutation).run()
      None
    } catch { case wrong: PlacesWalk.Wrong => Some(s"seed $seed: ${wrong.getMessage}") }
}
