// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.{BasicFileAttributes, FileTime}
import java.nio.file.{Files, Path, Paths}

import stoplog.stores.SinkStorage
import stoplog.plan.Attempt
import stoplog.writing.TaskWriters
import stoplog.thread.Parallel
import stoplog.commit._
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.log.{CommitLog, LogRecord, MarkerForm}

import stoplog.part.RunId
import stoplog.rolling.RollingPolicy

import stoplog.storage.local.LocalUnderTest
import stoplog.storage.{Durability, Truncation}
import stoplog.storage.FileStore
import stoplog.storage.hadoop.{HadoopDefaults, TestFileSystems}
import stoplog.storage.local.DeadProcess

/** A sink in a temporary directory: a query without an engine, and the tools.
  *
  * @param scheme of a file system of Hadoop's over this machine's directories; none for the local disk
  */
final class AdminWorld(policy: RollingPolicy, scheme: Option[String]) {
  val clock: ManualClock = new ManualClock(System.currentTimeMillis())

  private val root =
    scheme.fold(Files.createTempDirectory("stoplog-admin").toString)(TestFileSystems.directory)
  private val configuration = TestFileSystems.register(HadoopDefaults.configuration())
  private val storage       = SinkStorage.plain(root, "main", Durability.Process, configuration)

  val directory: Path  = Paths.get(root.drop(scheme.fold(0)(_.length + 1)))
  val log: CommitLog   = storage.log
  val notes: FileStore = storage.files

  def newest: LogRecord = log.newest().getOrElse(throw new AssertionError("the log is empty"))

  def driver(
      queryId: String = "query",
      noted: Map[String, String] = Map.empty,
      run: RunId = RunId.random(),
      followUps: FollowUps = FollowUps.none("main", notes)
  ): SinkDriver = SinkDriver.ofParts(
    run,
    SinkIdentity(root, "main", queryId),
    SinkSettings(Map("timeZone" -> "UTC"), "lines", noted),
    storage,
    () => Lines,
    DriverRules(policy, followUps, ForeignQuery.Refuse, LostPart.Fail),
    DriverTools(clock, Faults.none, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
  )

  /** Each bucket gets a marker once the watermark is there. */
  def marking(watermarkMillis: Long): FollowUps = FollowUps(
    "main",
    CompleteRule.ByWatermark(0, _ => Some(watermarkMillis)),
    MarkerForm.Json,
    Manifests.Off,
    notes
  )

  /** One epoch of one task, a row for each word; its first letter is the bucket. */
  def epoch(driver: SinkDriver, number: Long, words: String*): Unit = {
    val plan   = driver.begin(number, slots = 1)
    val store  = storage.parts
    val lease  = store.enter(plan.run)
    val writer =
      TaskWriters.of(plan.forTask(0, Attempt.First), store, Lines, policy, clock, storage.spoolFiles)
    try {
      words.foreach(word => writer.write(word.take(1), word))
      driver.commit(number, Seq(writer.commit()))
    } finally lease.close()
  }

  def tools(faults: Faults = Faults.none): SinkAdmin = new SinkAdmin(
    new SinkContext(
      root,
      "main",
      SinkContext.SinkContextStorage.of(root, "main", Truncation.Allowed, configuration, Durability.Process),
      DriverTools.of(clock, faults)
    )
  )

  /** The steps that a tool passes, each with how often. */
  def passed(plan: SinkAdmin => AdminPlan): Map[Step, Int] = {
    var seen   = Map.empty[Step, Int]
    val faults = new Faults {
      override def at(now: Step): Unit = AdminWorld.synchronized(seen += now -> (seen.getOrElse(now, 0) + 1))
    }
    plan(tools(faults)).carryOut(WhenAlive.Fence)
    seen
  }

  /** Does what a tool plans, and is killed on the way when it comes to a step for the nth time; answers whether it was.
    */
  def killed(step: Step, nth: Int)(plan: SinkAdmin => AdminPlan): Boolean = {
    var seen   = 0
    val faults = new Faults {
      override def at(now: Step): Unit = if (now == step) {
        synchronized(seen += 1)
        if (seen == nth) throw new InjectedFault(step)
      }
    }
    try {
      plan(tools(faults)).carryOut(WhenAlive.Fence)
      false
    } catch { case _: InjectedFault => true }
    finally DeadProcess.dropLocks(directory)
  }

  /** Announces a task of this run. */
  def enter(run: RunId): AutoCloseable = storage.parts.enter(run)

  /** The identities of the unfinished files. */
  def unfinished: Set[AnyRef] = LocalUnderTest
    .files(directory.resolve("_stoplog/main/open"))
    .map(Files.readAttributes(_, classOf[BasicFileAttributes]).fileKey())
    .toSet

  /** The identities of the files that readers see. */
  def finished: Set[AnyRef] = visible.map { file =>
    Files.readAttributes(directory.resolve(file), classOf[BasicFileAttributes]).fileKey()
  }

  /** What readers see. */
  def visible: Set[String] = LocalUnderTest.visible(directory)

  /** All rows that readers see. */
  def rows: Vector[String] =
    visible.toVector.flatMap(file => lines(directory.resolve(file))).sorted

  /** All rows under a hidden directory. */
  def rowsUnder(relative: String): Vector[String] =
    LocalUnderTest
      .files(directory.resolve(relative))
      .filter(file => Seq(".txt", ".txt.aside").exists(file.getFileName.toString.endsWith(_)))
      .flatMap(lines)
      .sorted

  /** An unfinished file that no record names. */
  /** As if the files of the log had been written so much earlier, by the clock of the storage. */
  def ageRecords(byMillis: Long): Unit =
    directory.resolve("_stoplog/main/log").toFile.listFiles().foreach { file =>
      file.setLastModified(file.lastModified() - byMillis)
    }

  def orphan(name: String, ageMinutes: Int): Path = {
    val file = directory.resolve(s"_stoplog/main/open/x/$name")
    Files.createDirectories(file.getParent)
    Files.writeString(file, "rows of a dead attempt\n")
    Files.setLastModifiedTime(file, FileTime.fromMillis(clock.millis() - ageMinutes * 60000L))
    file
  }

  def remove(): Unit = {
    DeadProcess.dropLocks(directory)
    LocalUnderTest.remove(directory)
  }

  private def lines(file: Path): Vector[String] =
    new String(Files.readAllBytes(file), UTF_8).linesIterator.filter(_ != "#").toVector
}

object AdminWorld {

  /** With a sink in a directory that is there for so long. */
  def within[A](policy: RollingPolicy = Rolls.never, scheme: Option[String] = None)(
      test: AdminWorld => A
  ): A = {
    val world = new AdminWorld(policy, scheme)
    try test(world)
    finally world.remove()
  }
}
