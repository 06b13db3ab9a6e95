// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.nio.file.{Files, Path}

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.fault.Faults
import stoplog.storage.{Durability, Storage, StorageSettings, Truncation}
import stoplog.storage.local.LocalUnderTest
import stoplog.thread.Clock

/** Storages that break one promise, each within a window of five milliseconds. */
class StoreRacesSuite extends AnyFunSuite {
  import StoreRacesSuite._

  for ((breach, promise) <- breaches)
    test(s"detects a broken promise each time: $breach") {
      val violations = (1 to trials).flatMap(_ => violation(promise, breach))
      assert(violations.size === trials, s"of $trials broken storages: ${violations.distinct}")
      assert(!violations.exists(_.startsWith("a request failed")), violations.distinct)
    }

  test("every promise has a breach") {
    assert(breaches.map(_._2).toSet === Promise.all.toSet)
  }

  /** Returns the violation that the races for one promise find. */
  private def violation(promise: Promise, breach: String): Option[String] = within { (_, storage) =>
    races(new BrokenStorage(storage, breach, WindowMillis))
      .run(Vector(promise))
      .flatMap(_.violation)
      .headOption
  }
}

object StoreRacesSuite {
  final val WindowMillis = 5L

  private def trials: Int = if (LongRun.isOn) 100 else 10

  private val breaches = Vector(
    "create"        -> CreatesOnce,
    "create: loser" -> CreatesOnce,
    "whole"         -> ShowsWholeFiles,
    "mark"          -> MarksOnce,
    "list: late"    -> ListsAtOnce,
    "list: stale"   -> ListsAtOnce,
    "read"          -> ReadsAtOnce,
    "move: over"    -> MovesOnce,
    "move: twice"   -> MovesOnce,
    "publish"       -> PublishesOnce,
    "name"          -> KeepsTakenNames,
    "grow"          -> GrowsParts,
    "delete"        -> Deletes
  )

  def races(storage: Storage): StoreRaces =
    new StoreRaces(storage, Clock.system, limitMillis = 60000, patienceMillis = 60000, (_, _) => ())

  /** Passes a new directory, and its storage. Bytes are not forced to the disk: no power is lost. */
  def within[A](action: (Path, Storage) => A): A = {
    val directory = Files.createTempDirectory("stoplog-qualify")
    try action(directory, local(directory.toString))
    finally Try(LocalUnderTest.remove(directory)): Unit // a trial that hung still deletes its files
  }

  def local(path: String): Storage =
    Storage.at(
      path,
      StorageSettings(Durability.Process, Truncation.Allowed, new Configuration(false), Faults.none)
    )
}
