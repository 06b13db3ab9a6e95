// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import scala.jdk.CollectionConverters._

import stoplog.LongRun

/** Looks through seeds for one that fails, and explains one that did. */
object Search {

  /** How many schedules a test run takes: 1,000, or 200,000 with STOPLOG_LONG=1. */
  def schedules: Long = setting("stoplog.sim.schedules", "STOPLOG_SIM_SCHEDULES")
    .getOrElse(if (LongRun.isOn) 200000L else 1000L)

  /** The first of a run's seeds: 0, or STOPLOG_SIM_FIRST, so that a long run sees other schedules than the ordinary one. */
  def first: Long = setting("stoplog.sim.first", "STOPLOG_SIM_FIRST").getOrElse(0L)

  /** The one seed to replay, from `-Dstoplog.sim.seed` or `STOPLOG_SIM_SEED`. */
  def seed: Option[Long] = setting("stoplog.sim.seed", "STOPLOG_SIM_SEED")

  /** A seed that fails, as far as possible the first of them. */
  def firstFailure(
      seeds: Seq[Long],
      mutation: Mutation,
      setting: Setting = Setting.plain
  ): Option[Outcome.Failed] =
    walk(seeds)(Simulation.run(_, mutation, _, Tracing.Off, setting))

  /** The same for any way to simulate a seed, which is called for several at a time. */
  def walk(seeds: Seq[Long])(simulate: (Long, Lane) => Outcome): Option[Outcome.Failed] = {
    val next  = new AtomicInteger()
    val found = new AtomicReference(Option.empty[Outcome.Failed])
    val lanes = Vector.fill(Runtime.getRuntime.availableProcessors().min(4)) {
      val thread = new Thread(() => {
        val lane = new Lane
        var i    = next.getAndIncrement()
        while (i < seeds.size && found.get.isEmpty) {
          simulate(seeds(i), lane) match {
            case failed: Outcome.Failed =>
              found.updateAndGet(old => (old.toVector :+ failed).minByOption(_.seed))
              ()
            case _ => ()
          }
          i = next.getAndIncrement()
        }
      })
      thread.setDaemon(true)
      thread.start()
      thread
    }
    lanes.foreach(_.join())
    found.get
  }

  /** What happened under this seed, step by step; `None` if nothing failed. The whole account goes into a file. */
  def explain(seed: Long, mutation: Mutation, setting: Setting = Setting.plain): Option[String] =
    Simulation.replay(seed, mutation, setting) match {
      case _: Outcome.Passed                 => None
      case Outcome.Failed(_, problem, trace) =>
        val file = Paths.get("target", s"sim-$seed.txt").toAbsolutePath
        Files.createDirectories(file.getParent)
        Files.write(file, trace.asJava)
        val last = trace.takeRight(LinesShown).mkString("\n")
        Some(
          s"seed $seed: $problem\nreplay with STOPLOG_SIM_SEED=$seed; all steps are in $file; the last ones:\n$last"
        )
    }

  private def setting(property: String, variable: String): Option[Long] =
    sys.props.get(property).orElse(sys.env.get(variable)).map(_.trim.toLong)

  private val LinesShown = 60
}
