// SPDX-License-Identifier: Apache-2.0
package stoplog.python.rolling

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.network.util.JavaUtils

import stoplog.options.PythonOptions
import stoplog.python.{DriverPython, OwnPython}
import stoplog.rolling.{PartStats, PolicyOfAllParts, RollReason}

/** Closes parts by a function in Python, in one process of the driver for each query. In tasks, only the
  * limit of the size applies.
  *
  * Errors: `STOPLOG_PYTHON_FORBIDDEN`, and those of [[OwnPython]].
  *
  * @param parameters the options of [[PythonOptions]], and `maxPartSize`
  */
private[stoplog] final class PythonRollingPolicy(parameters: JMap[String, String]) extends PolicyOfAllParts {
  private val maxPartSizeBytes =
    JavaUtils.byteStringAsBytes(parameters.getOrDefault("maxPartSize", PythonRollingPolicy.MaxPartSize))

  private def owner: String = parameters.getOrDefault(PythonOptions.Owner, "a function")

  @transient private var user = Option.empty[OwnPython]

  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    Option.when(part.sizeBytes > maxPartSizeBytes)(RollReason.Size)

  override def onTick(parts: Seq[PartStats], nowMillis: Long): Seq[Option[RollReason]] = synchronized {
    val facts = parts.map(factsOf(_, nowMillis).asJava).asJava
    opened()
      .call("due")(facts)
      .elements
      .asScala
      .map { reason =>
        Option.unless(reason.isNull)(RollReason.fromWord(reason.asText()))
      }
      .toVector
  }

  override def probe(): Unit = DriverPython.refuseIfForbidden(owner)

  override def close(): Unit = synchronized {
    user.foreach(_.close())
    user = None
  }

  private def opened(): OwnPython = user.getOrElse {
    probe()
    val made =
      OwnPython.alone(owner, parameters.get(PythonOptions.Pickled), DriverPython.command(parameters))
    user = Some(made)
    made
  }

  private def factsOf(part: PartStats, nowMillis: Long): Seq[Any] = Seq(
    part.bucket,
    part.sizeBytes,
    part.records,
    (nowMillis - part.openedAtMillis).max(0L),
    (nowMillis - part.lastWrittenAtMillis).max(0L)
  )
}

private[rolling] object PythonRollingPolicy {

  /** The limit of the default policy. */
  private val MaxPartSize = "128m"
}
