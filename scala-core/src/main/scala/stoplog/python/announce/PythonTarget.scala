// SPDX-License-Identifier: Apache-2.0
package stoplog.python.announce

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.announce._
import stoplog.options.{PythonOptions, SparkOptions}
import stoplog.python.{DriverPython, OwnPython}

/** The factory of `announce.<name>` = `python`. The Python package sets all settings but `pythonTimeout`. */
private[stoplog] final class PythonTargets extends TargetFactory {
  import PythonTargets._

  override def kind: String = "python"

  override def settings: Set[String] = OfPackage + PythonOptions.Timeout.key + Positioned

  /** Errors: `STOPLOG_PYTHON_FORBIDDEN`, and `IllegalArgumentException` for settings made by hand. */
  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget = {
    val passed = SparkOptions.caseless(settings)
    val owner  =
      Option(passed.get(PythonOptions.Owner)).getOrElse(throw new IllegalArgumentException(ByMethod))
    val pickled =
      Option(passed.get(PythonOptions.Pickled)).getOrElse(throw new IllegalArgumentException(ByMethod))
    DriverPython.refuseIfForbidden(owner)
    val user = OwnPython.alone(owner, pickled, DriverPython.command(passed))
    if (passed.get(Positioned) == "true") new PositionedPythonTarget(user) else new PythonTarget(user)
  }
}

private object PythonTargets {

  /** Whether the user's class stores positions. */
  private val Positioned = "positioned"

  private val OfPackage: Set[String] = {
    import PythonOptions._
    Set(Owner, Pickled, Version, Executable, Path)
  }

  private val ByMethod =
    "python is not set by hand: call with_announcement with Announcement.from_function " +
      "or Announcement.from_target in Python"
}

/** Delivers by user code in Python. */
private[announce] sealed class PythonTarget(user: OwnPython) extends AnnouncementTarget {

  /** Errors: `STOPLOG_PYTHON_FAILED`, `STOPLOG_PYTHON_TIMEOUT`, `STOPLOG_PYTHON_ENDED`. */
  override def deliver(announcements: Vector[Announcement]): Delivery = {
    val first = announcements.head.id
    val found =
      user.call("deliver", s"from record ${first.sequence}")(announcements.map(AnnouncementJson.text).asJava)
    val reason = found.path("reason").asText
    found.path("outcome").asText match {
      case "delivered" => Delivery.Delivered
      case "retry"     =>
        Delivery.Retry(reason, Option(found.get("afterMillis")).filterNot(_.isNull).map(_.asLong))
      case "unknown" => Delivery.Unknown(reason)
      case _         => Delivery.Refused(reason)
    }
  }

  override def check(): Unit = user.call("check")(): Unit

  override def close(): Unit = user.close()
}

/** Delivers by user code that stores positions. */
private[announce] final class PositionedPythonTarget(user: OwnPython)
    extends PythonTarget(user)
    with PositionedTarget {

  override def position(path: String, logName: String): Option[AnnouncementId] =
    Option(user.call("position", s"of $logName")(path, logName)).filterNot(_.isNull).map { found =>
      val log = LogId(logName, found.get("identity").asText)
      AnnouncementId(log, found.get("sequence").asLong, found.get("number").asInt)
    }
}
