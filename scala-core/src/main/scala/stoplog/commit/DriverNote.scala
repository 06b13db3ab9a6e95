// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.net.InetAddress
import java.nio.file.{Files, Path, Paths}

import scala.util.Try

/** The process of a run's driver, and how often it looks at its sink, as the run's records say it. For tools, which
  * leave alone a sink that a driver is at work on; no decision of the protocol depends on it.
  *
  * @param host            as its users call the machine
  * @param space           where process numbers mean the same: the boot of a kernel, and the process namespace in it;
  *                        empty where that cannot be told
  * @param startedAtMillis of the process, since a number may be given again
  * @param everyMillis     how often it looks at its sink, at least
  */
final case class DriverNote(
    host: String,
    space: String,
    pid: Long,
    startedAtMillis: Long,
    everyMillis: Long
) {

  /** One line for the log's settings, which [[DriverNote.read]] reads. */
  def text: String = s"$host $space $pid $startedAtMillis $everyMillis"

  /** Whether the process is there; `None` if that can be told only elsewhere. */
  def isThere: Option[Boolean] = {
    val here = DriverNote.ofThisProcess(everyMillis)
    Option.when(here.host == host && here.space == space) {
      val process = ProcessHandle.of(pid)
      process.isPresent && process.get.isAlive && DriverNote.started(process.get) == startedAtMillis
    }
  }
}

object DriverNote {

  /** The setting that holds it. */
  val Key: String = "driver"

  def ofThisProcess(everyMillis: Long): DriverNote = {
    val process = ProcessHandle.current()
    DriverNote(host, space, process.pid(), started(process), everyMillis)
  }

  /** `None` for what no release has written. */
  def read(text: String): Option[DriverNote] = text match {
    case Noted(host, space, pid, started, every) =>
      Some(DriverNote(host, space, pid.toLong, started.toLong, every.toLong))
    case _ => None
  }

  // The Python package reads it by the same pattern.
  private val Noted = "(\\S*) (\\S*) ([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18})".r

  private lazy val host: String =
    Try(InetAddress.getLocalHost.getHostName).getOrElse("unknown").filterNot(_.isWhitespace)

  /** Two containers may have one name and each a process of this number. */
  private lazy val space: String = Seq(
    Try(Files.readString(Paths.get("/proc/sys/kernel/random/boot_id")).trim),
    Try(Files.readSymbolicLink(Paths.get("/proc/self/ns/pid")): Path).map(_.toString)
  ).flatMap(_.toOption).mkString("/").filterNot(_.isWhitespace)

  private def started(process: ProcessHandle): Long =
    process.info().startInstant().map[Long](_.toEpochMilli).orElse(0L)
}
