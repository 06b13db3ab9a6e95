// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.collection.mutable
import scala.util.Try

import com.codahale.metrics.{Gauge, MetricRegistry}

/** The gauges of running sinks and sources in Spark's metrics system. Without [[stoplog.StoplogPlugin]] the
  * calls have no effect.
  *
  * A gauge reads the same figures as the progress of the query, when a reporter reads the gauge. Names are
  * `sink.<sink>.<figure>` and `source.<source>.<figure>`. The gauge `fencedRuns` counts for the application.
  */
private[stoplog] object RunGauges {
  private var registry     = Option.empty[MetricRegistry]
  private val shown        = mutable.Map.empty[AnyRef, Shown]
  private var fencedBefore = 0L

  /** Registers the gauge of the application: Spark drops the registry of a plugin without metrics. */
  def attach(to: MetricRegistry): Unit = synchronized {
    registry = Some(to)
    fencedBefore = 0
    gauge(to, Fenced)(fencedRuns)
  }

  /** Removes all gauges. */
  def detach(): Unit = synchronized {
    shown.keys.toVector.foreach(hide)
    registry.foreach(_.remove(Fenced))
    registry = None
  }

  /** Shows the figures of a run, or the new figures of a shown run.
    *
    * @param run       the identity of the run
    * @param kind      `sink` or `source`
    * @param described the description of the sink or source
    * @param figures   the present figures, read on any thread
    */
  def show(run: AnyRef, kind: String, described: => String)(figures: () => Seq[(String, Long)]): Unit =
    synchronized {
      registry.foreach { to =>
        val one   = shown.getOrElseUpdate(run, new Shown(unique(s"$kind.${nameOf(described)}"), figures))
        val named = figures().map(_._1).distinct
        named.filterNot(one.names.contains).foreach { name =>
          one.names += name
          gauge(to, s"${one.prefix}.$name")(one.valueOf(name))
        }
      }
    }

  /** Removes the gauges of an ended run. */
  def hide(run: AnyRef): Unit = synchronized {
    shown.remove(run).foreach { one =>
      fencedBefore += one.valueOf(Fenced)
      registry.foreach(from => one.names.foreach(name => from.remove(s"${one.prefix}.$name")))
    }
  }

  /** Returns a name for gauges: other signs than letters and digits separate names in most systems. */
  private[spark] def nameOf(described: String): String =
    described.stripPrefix("stoplog").replaceAll("[^A-Za-z0-9]+", "_").stripPrefix("_").stripSuffix("_")

  private def unique(prefix: String): String = {
    val taken = shown.values.map(_.prefix).toSet
    (prefix #:: LazyList.from(2).map(number => s"${prefix}_$number")).filterNot(taken.contains).head
  }

  private def fencedRuns: Long = {
    val (before, now) = synchronized((fencedBefore, shown.values.toVector))
    before + now.map(_.valueOf(Fenced)).sum
  }

  private def gauge(to: MetricRegistry, name: String)(value: => Long): Unit = {
    to.register(name, (() => value): Gauge[Long])
    ()
  }

  /** The figure of a run that a newer run has fenced: 1, otherwise 0. */
  private final val Fenced = "fencedRuns"

  /** @param prefix the start of the names of gauges
    */
  private final class Shown(val prefix: String, figures: () => Seq[(String, Long)]) {
    val names = mutable.Set.empty[String]

    /** Returns 0 for an unknown figure, and the last of equal names, as the progress does. Never throws:
      * Spark's servlet would show no metrics at all.
      */
    def valueOf(name: String): Long =
      Try(figures()).toOption.flatMap(_.findLast(_._1 == name)).fold(0L)(_._2)
  }
}
