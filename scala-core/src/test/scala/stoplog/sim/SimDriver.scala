// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.commit._
import stoplog.log.{BatchDigest, CommitLog, LogFiles, LogRecord, MarkerForm}
import stoplog.part.{PartNaming, RunId}
import stoplog.plan.{EpochPlan, TaskResult}
import stoplog.storage.{FileStore, PartStore, ReplacedFiles, SpoolFiles}
import stoplog.thread.Parallel

/** All that is stored of the sink, as one process sees it: with a mutation between, where there is one. */
final class SimStores(world: World, mutation: Mutation, log: String) {

  /** Of the world's sink id. */
  def this(world: World, mutation: Mutation) = this(world, mutation, world.sinkId)

  val records: LogFiles          = mutation.records(world, new SimRecords(world, log, mutation.isForced))
  val parts: PartStore           = mutation.parts(world, SimParts.of(world, mutation.isForced, log), records)
  val spoolFiles: SpoolFiles     = mutation.spoolFiles(world, new SimSpoolFiles(world, log), records)
  val finished: ReplacedFiles    = mutation.finished(world, SimFinished.of(world, log), records)
  val overwritten: ReplacedFiles = mutation.finished(world, SimFinished.ofOverwrites(world, log), records)
  val commits: CommitLog         = new CommitLog(records, world.surroundings.log)

  def of(notes: FileStore): SinkStores = SinkStores.of(commits, parts, spoolFiles, finished, notes)
}

/** The one place where the simulator meets the constructors of drivers. */
final class SimDriver(world: World, session: Session, stores: SimStores, content: String, onLost: LostPart) {
  import stores._

  private def manifests: Manifests =
    if (world.rule == CompleteRule.Never) Manifests.Off else Manifests.Json(None, None)

  private val driver = driverOf(session.run)

  private def driverOf(run: RunId): SinkDriver = SinkDriver.ofParts(
    run,
    SinkIdentity("sink", world.sinkId, "query"),
    SinkSettings(Map.empty, content, manifests.toMap ++ compactions ++ SimBatch.noted(world)),
    stores.of(notes),
    () => session.format.open(spoolFiles),
    DriverRules(
      world.traits.policy,
      FollowUps(world.sinkId, world.rule, MarkerForm.Json, manifests, notes),
      ForeignQuery.Refuse,
      onLost,
      world.surroundings.onRestart,
      compaction = world.traits.compaction.fold(Compaction.Off: Compaction)(compaction(run, _))
    ),
    SimDriver.tools(world)
  )

  private def compactions: Map[String, String] =
    world.traits.compaction.fold(Map.empty[String, String])(_ => CompactingRun.noted)

  private def notes: FileStore = session.mutation.notes(world, new SimNotes(world))

  def begin(batch: Batch, slots: Int): EpochPlan =
    driver.begin(
      batch.id,
      slots,
      session.mutation.digests(id =>
        if (id == batch.id) Some(SimDriver.digest(batch)) else session.planned(id).map(SimDriver.digest)
      )
    )

  def commit(batch: Batch, results: Seq[TaskResult]): Unit =
    session.mutation.committed(driver.commit(batch.id, results))

  def abort(): Unit = driver.abort()

  def tick(): Boolean = driver.tick()

  /** Every second run has a successor for the smallest copy, and the others copy whatever it costs. */
  def end(finish: Finish): Unit = {
    val copyAtMostBytes = if (session.run.value.toInt % 2 == 0) 0 else Long.MaxValue
    new EndOfQuery(driver, Some(() => driverOf(world.nextRun())), copyAtMostBytes).end(finish)
  }

  def endIfIdle(finish: Finish): Boolean = driver.endIfIdle(finish)

  /** Tells the driver what the log ends with before there is an epoch. */
  def waitForData(): Unit =
    commits.newest().filter(_.state.queryId == "query").foreach(newest => driver.waitFrom(newest.seq))

  private def compaction(run: RunId, policy: CompactionPolicy) = new SmallParts(
    run,
    SmallParts.Choice(policy, PartNaming("part", ""), _ => true),
    new SimCompactionRunner(world, session, parts, () => session.format.open(spoolFiles)),
    finished,
    () => SimJobs.noneReplaces(world, session.mutation),
    world.clock,
    world.faults
  )
}

object SimDriver {

  /** The identity of a batch. */
  def digest(planned: Batch): BatchDigest = BatchDigest.of(planned.identity.getBytes(UTF_8))

  /** The world outside, for whoever drives the log. */
  def tools(world: World): DriverTools =
    DriverTools(world.clock, world.faults, new SimDriverLock(world), Parallel.sequential, StorageRetry.never)

  /** What a tool begins from. */
  def toolRun(
      world: World,
      run: RunId,
      newest: LogRecord,
      stores: SimStores,
      mutation: Mutation
  ) =
    new ToolRun(
      run,
      SinkIdentity("sink", world.sinkId, newest.state.queryId),
      newest,
      stores.of(mutation.notes(world, new SimNotes(world))),
      () => world.traits.format.open(stores.spoolFiles),
      tools(world)
    )

  /** What each start of a query does before anything else. */
  def recover(world: World, run: RunId, newest: LogRecord, stores: SimStores, mutation: Mutation): Unit = {
    val notes = mutation.notes(world, new SimNotes(world))
    new Ledger(
      run,
      SinkIdentity("sink", world.sinkId, "query"),
      stores.of(notes),
      LostPart.Fail,
      FollowUps.none(world.sinkId, notes),
      tools(world)
    ).recover(newest)
  }

  /** A run of the batch compaction. */
  def compaction(world: World, run: RunId, mutation: Mutation): CompactionJob = {
    val logs = new SimLogs(world, mutation)
    val name = s"${JobCommit.Prefix}compaction-${run.value}"
    new CompactionJob(
      run,
      SinkIdentity("sink", name, name),
      logs.storesOf(name),
      new SimJobs(world, name, logs.files, mutation),
      logs,
      tools(world)
    )
  }

  /** A batch job. */
  def job(world: World, run: RunId, name: String, mutation: Mutation): JobCommit = {
    val logs = new SimLogs(world, mutation)
    new JobCommit(
      run,
      SinkIdentity("sink", name, name),
      logs.storesOf(name),
      new SimJobs(world, name, logs.files, mutation),
      logs,
      tools(world),
      JobCommit.Rules(
        FollowUps(world.sinkId, world.rule, MarkerForm.Json, Manifests.Off, logs.files)
      )
    )
  }
}
