// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.util.Locale

import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, PartStats, RollingPolicy}

/** What policies make of one stream: 2 MB a minute for an hour, in micro-batches of ten seconds, then silence. The real
  * policies are asked as a sink asks them.
  */
object PoliciesPicture {
  val name = "images/policies.svg"

  /** A part's life, and its size. */
  final case class Bar(openedSeconds: Int, closedSeconds: Int, bytes: Long)

  final case class Outcome(policy: String, bars: Vector[Bar]) {
    def largestMegabytes: Double = bars.map(_.bytes).max / 1e6
  }

  def outcomes: Vector[Outcome] = policies.map { case (name, policy) => Outcome(name, barsOf(policy)) }

  def text: String = {
    val found  = outcomes
    val height = Top + found.size * RowHeight + 30
    val rows   = found.zipWithIndex.map { case (outcome, n) => row(outcome, Top + n * RowHeight) }
    val ticks  = (0 to 75 by 15).map { minute =>
      s"""<text x="${x(minute * 60)}" y="${height - 8}" text-anchor="middle">$minute min</text>
         |<line x1="${x(minute * 60)}" y1="$Top" x2="${x(
          minute * 60
        )}" y2="${height - 24}" class="grid"/>""".stripMargin
    }
    s"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $Width $height" font-family="sans-serif" font-size="12" role="img">
       |<title>Files of one stream under four policies</title>
       |<style>text { fill: #57606a } .grid { stroke: #8c959f; stroke-opacity: .35 } rect { fill: #2f81f7 } @media (prefers-color-scheme: dark) { text { fill: #9198a1 } }</style>
       |${(ticks ++ rows).mkString("\n")}
       |</svg>
       |""".stripMargin
  }

  private val Width     = 760
  private val Top       = 10
  private val RowHeight = 48
  private val Margin    = 20

  private val StreamSeconds  = 3600
  private val ShownSeconds   = 75 * 60
  private val TriggerSeconds = 10
  private val BytesPerBatch  = 2000000L * TriggerSeconds / 60
  private val DayMillis      = 86400000L

  private val policies: Vector[(String, RollingPolicy)] = Vector(
    "`maxPartSize=128m` alone" ->
      DefaultRollingPolicy().withRolloverIntervalMillis(DayMillis).withInactivityIntervalMillis(DayMillis),
    "the default"                  -> DefaultRollingPolicy(),
    "`rolloverInterval=5m`"        -> DefaultRollingPolicy().withRolloverIntervalMillis(5 * 60000L),
    "`rollingPolicy=onCheckpoint`" -> OnCheckpointRollingPolicy()
  )

  private final class Part(val openedAtMillis: Long) extends PartStats {
    var sizeBytes           = 0L
    var records             = 0L
    var lastWrittenAtMillis = openedAtMillis
    override def bucket     = ""
  }

  private def barsOf(policy: RollingPolicy): Vector[Bar] = {
    val bars                        = Vector.newBuilder[Bar]
    var open: Option[Part]          = None
    def close(atSeconds: Int): Unit = open.foreach { part =>
      bars += Bar((part.openedAtMillis / 1000).toInt, atSeconds, part.sizeBytes)
      open = None
    }
    for (second <- 0 to (DayMillis / 1000).toInt * 2 by TriggerSeconds) {
      val now = second * 1000L
      if (second < StreamSeconds) {
        if (open.exists(policy.beforeRow(_, now).isDefined)) close(second)
        val part = open.getOrElse(new Part(now))
        part.sizeBytes += BytesPerBatch
        part.records += 1
        part.lastWrittenAtMillis = now
        open = Some(part)
        if (policy.onEpochEnd(part, now).isDefined) close(second + TriggerSeconds)
      }
      if (open.exists(policy.onTime(_, now).isDefined)) close(second)
    }
    bars.result()
  }

  private def row(outcome: Outcome, top: Int): String = {
    val bars = outcome.bars.map { bar =>
      val from  = x(bar.openedSeconds)
      val width = (x(bar.closedSeconds.min(ShownSeconds)) - from - 0.5).max(0.5)
      String.format(
        Locale.ROOT,
        """<rect x="%.1f" y="%d" width="%.1f" height="16"/>""",
        from,
        top + 20,
        width
      )
    }
    val count = if (outcome.bars.size == 1) "1 file" else s"${outcome.bars.size} files"
    val label = s"${outcome.policy.replace("`", "")}: $count"
    (s"""<text x="$Margin" y="${top + 14}">$label</text>""" +: bars).mkString("\n")
  }

  private def x(seconds: Int): Double = Margin + seconds.toDouble * (Width - 2 * Margin) / ShownSeconds
}
