// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.{Files, NoSuchFileException, Path, Paths}

import scala.util.Try

import stoplog.log.{LogRecord, RecordKind, RecordNames}
import stoplog.part.RunId
import stoplog.storage.{FileInfo, FileStore, Machine, SinkDirectory}

/** The signs that a driver works on a sink, as far as other processes can see.
  *
  * No decision of the protocol depends on these signs: the run that claims the log fences every older driver,
  * alive or not. The signs only keep operators from stopping a query by mistake.
  */
private[stoplog] sealed trait Liveness extends Product with Serializable {

  /** Returns one sentence for users. */
  def describe: String
}

private[stoplog] object Liveness {

  /** The last run has ended, or there was no run. */
  case object Released extends Liveness {
    override def describe: String = "the log names no running driver: the last run has ended normally"
  }

  /** The driver's process has ended. */
  final case class Dead(run: String, note: DriverNote) extends Liveness {
    override def describe: String =
      s"the driver of run $run is dead: process ${note.pid} on ${note.host} no longer exists"
  }

  /** The driver has been silent for longer than a living driver can be. */
  final case class Silent(run: String, forMillis: Long) extends Liveness {
    override def describe: String =
      s"the driver of run $run counts as dead: no heartbeat for ${forMillis / 1000} s"
  }

  /** The driver may be alive. */
  final case class Alive(run: String, forMillis: Long, evidence: Evidence) extends Liveness {
    override def describe: String = evidence.of(run, forMillis.max(0) / 1000)
  }

  /** The reason to consider a driver alive. */
  sealed trait Evidence extends Product with Serializable {
    def of(run: String, silentSeconds: Long): String
  }

  /** The driver's process exists on this machine, regardless of its last heartbeat: the process may be busy,
    * or its storage may hang. The process may also have given up the sink, which only an operator knows.
    */
  final case class ProcessIsThere(note: DriverNote, patienceMillis: Long) extends Evidence {
    override def of(run: String, silentSeconds: Long): String =
      s"the process of the driver of run $run, ${note.pid} on ${note.host}, exists, and the last " +
        s"heartbeat is $silentSeconds s old" + (if (silentSeconds * 1000 >= patienceMillis) Hanging else "")
  }

  /** The driver's last heartbeat or record is recent. */
  final case class SignOfLife(patienceMillis: Long, where: String) extends Evidence {
    override def of(run: String, silentSeconds: Long): String =
      s"the last heartbeat of run $run$where is $silentSeconds s old; the driver counts as dead after " +
        s"${patienceMillis / 1000} s"
  }

  /** Returns the liveness of a sink's driver.
    *
    * @param files     all heartbeats, and the file of the newest record
    * @param isThere   returns whether a process exists; `None` if this process cannot know
    * @param nowMillis the time by the clock of the storage, which also sets the modification times of
    *                  `files`. The driver's clock may differ by any amount: the time in the record counts
    *                  only if the file has no time
    */
  def of(newest: Option[LogRecord], files: Vector[FileInfo], nowMillis: Long)(
      isThere: DriverNote => Option[Boolean]
  ): Liveness = newest match {
    case None                                              => Released
    case Some(record) if record.kind == RecordKind.Release => Released
    case Some(record)                                      =>
      val note   = record.state.settings.get(DriverNote.Key).flatMap(DriverNote.read)
      val silent = nowMillis - lastSign(record, files)
      note.flatMap(one => isThere(one).map(one -> _)) match {
        case Some((dead, false)) => Dead(record.run.value, dead)
        case Some((there, true)) =>
          Alive(record.run.value, silent, ProcessIsThere(there, patience(Some(there))))
        case None => bySigns(record, note, silent)
      }
  }

  private def lastSign(record: LogRecord, files: Vector[FileInfo]): Long = {
    val beats = Heartbeat.of(record.run, files)
    val own   = files.find(_.name == RecordNames.name(record.seq)).flatMap(_.modifiedMillis)
    (own.getOrElse(record.writtenAtMillis) +: beats.flatMap(_.modifiedMillis)).max
  }

  private def bySigns(record: LogRecord, note: Option[DriverNote], silent: Long): Liveness = {
    val most = patience(note)
    if (silent > most) Silent(record.run.value, silent)
    else {
      val where = note.fold("")(n => s" (process ${n.pid} on ${n.host})")
      Alive(record.run.value, silent, SignOfLife(most, where))
    }
  }

  private def patience(note: Option[DriverNote]): Long =
    note.fold(UsualMillis)(_.everyMillis.max(ShortestMillis)) * MissedBeats

  private val Hanging = ": its storage may hang (STOPLOG_STORAGE_HANGS), or the process has given up the sink"

  /** A heartbeat may be late, and another heartbeat may be lost to storage that does not respond. */
  private[stoplog] val MissedBeats = 3

  /** Milliseconds; the default of `bucketCheckInterval`. */
  private[stoplog] val UsualMillis = 60 * 1000L

  /** Milliseconds; the write of a heartbeat may be slow. */
  private[stoplog] val ShortestMillis = 1000L
}

/** The process of a run's driver and its check interval, as recorded by the run. Tools do not touch a sink
  * while its driver works; no decision of the protocol depends on this note.
  *
  * @param host         the name of the machine for its users
  * @param space        the scope of process ids: the boot of a kernel, and the process namespace; empty if
  *                     unknown
  * @param startedTicks the start of the process, since a process id may be reused: clock ticks since the
  *                     boot, independent of clock changes. Milliseconds since 1970 if the system has no
  *                     `/proc`
  * @param everyMillis  the longest interval between two checks of the sink, in milliseconds
  */
private[stoplog] final case class DriverNote(
    host: String,
    space: String,
    pid: Long,
    startedTicks: Long,
    everyMillis: Long
) {

  /** Returns one line for the log's settings, which [[DriverNote.read]] parses. */
  def text: String = s"$host $space $pid $startedTicks $everyMillis"

  /** Returns whether the process exists; `None` if only processes elsewhere can know. */
  def isThere: Option[Boolean] = {
    val here = DriverNote.ofThisProcess(everyMillis)
    Option
      .when(here.host == host && here.space == space)(DriverNote.started(pid))
      .flatten
      .map(_.contains(startedTicks))
  }
}

private[stoplog] object DriverNote {

  /** The key of the setting with the note. */
  val Key: String = "driver"

  def ofThisProcess(everyMillis: Long): DriverNote = {
    val pid = ProcessHandle.current().pid()
    DriverNote(host, space, pid, started(pid).flatten.getOrElse(0L), everyMillis)
  }

  /** Parses a note; `None` for a text of no known release. */
  def read(text: String): Option[DriverNote] = text match {
    case Noted(host, space, pid, started, every) =>
      Some(DriverNote(host, space, pid.toLong, started.toLong, every.toLong))
    case _ => None
  }

  // The Python package uses the same pattern.
  private val Noted = "(\\S*) (\\S*) ([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18})".r

  private lazy val host: String = Machine.here.name.filterNot(_.isWhitespace)

  /** Two containers may have the same name, and each may have a process with this id. */
  private lazy val space: String = Seq(
    Machine.bootId,
    Try(Files.readSymbolicLink(Paths.get("/proc/self/ns/pid")).toString).toOption
  ).flatten.mkString("/").filterNot(_.isWhitespace)

  /** Returns the start time of the process; `Some(None)` if the process has ended; `None` if this process
    * cannot know.
    */
  private def started(pid: Long): Option[Option[Long]] =
    if (space.isEmpty) {
      val process = ProcessHandle.of(pid)
      Some(Option.when(process.isPresent && process.get.isAlive) {
        process.get.info().startInstant().map[Long](_.toEpochMilli).orElse(0L)
      })
    } else startedIn(Paths.get("/proc"), pid)

  /** A system may hide the processes of other users: then a missing process may be alive. The first process
    * always exists, and shows whether processes are hidden.
    */
  private[commit] def startedIn(proc: Path, pid: Long): Option[Option[Long]] =
    try Some(startedTicks(Files.readAllBytes(proc.resolve(s"$pid/stat"))))
    catch {
      case _: NoSuchFileException if Files.exists(proc.resolve("1/stat")) => Some(None)
      case _: IOException                                                 => None
    }

  /** Returns the start time from a process's line of `/proc`; `None` if the process has ended and its parent
    * has not read the exit code. The process name may contain any bytes, and ends with the last bracket.
    */
  private[commit] def startedTicks(stat: Array[Byte]): Option[Long] = {
    val words = new String(stat, ISO_8859_1).drop(stat.lastIndexOf(')'.toByte) + 1).trim.split(" +")
    Option.when(words.sizeIs > StartField && !Ended(words.head))(words(StartField).toLong)
  }

  private final val StartField = 19 // after the name; field 22 of the whole line
  private val Ended            = Set("Z", "X")
}

/** Shows between two records that a driver is alive. For tools, like [[DriverNote]].
  *
  * A heartbeat is a small file `_stoplog/<sinkId>/alive/<run>-<n>`, which replaces the previous heartbeat.
  * Each record counts as a heartbeat, so a query with data writes no heartbeat files.
  */
private[stoplog] final class Heartbeat(notes: FileStore, sinkId: String, run: RunId) {
  private var count  = 0L
  private var latest = Option.empty[String]

  /** Writes a heartbeat. The first heartbeat also deletes the heartbeats of killed runs. */
  def beat(): Unit = synchronized {
    if (count == 0) follow(Heartbeat.all(notes, sinkId).map(_.path)) else beatKeepingOthers()
  }

  /** Writes a heartbeat without the deletion of other runs' heartbeats. */
  private[stoplog] def beatKeepingOthers(): Unit = synchronized(follow(latest.toVector))

  private def follow(previous: Vector[String]): Unit = {
    val next = s"${Heartbeat.directory(sinkId)}/${run.value}-$count"
    notes.putIfAbsent(next, run.value.getBytes(UTF_8))
    count += 1
    latest = Some(next)
    if (previous.nonEmpty) notes.delete(previous)
  }

  /** Deletes the newest heartbeat: the run has ended. */
  def stop(): Unit = synchronized {
    if (latest.nonEmpty) notes.delete(latest.toVector)
    latest = None
  }

  /** Returns the time of this run's newest heartbeat, by the clock of the storage. */
  private[stoplog] def writtenAtMillis: Option[Long] = synchronized(latest).flatMap { path =>
    Heartbeat.all(notes, sinkId).find(_.path == path).flatMap(_.modifiedMillis)
  }
}

private[stoplog] object Heartbeat {

  /** Returns the directory of a sink's heartbeats. */
  def directory(sinkId: String): String = SinkDirectory(sinkId).alive

  /** Returns the heartbeats of all runs. */
  def all(notes: FileStore, sinkId: String): Vector[FileInfo] = notes.list(directory(sinkId), prefix = "")

  /** Returns all heartbeats and the file of this record, which counts as a heartbeat. */
  def signs(notes: FileStore, sinkId: String, seq: Long): Vector[FileInfo] =
    all(notes, sinkId) ++ notes.stat(s"${SinkDirectory(sinkId).log}/${RecordNames.name(seq)}")

  /** Returns the heartbeats of one run. */
  def of(run: RunId, all: Vector[FileInfo]): Vector[FileInfo] =
    all.filter(_.name.startsWith(s"${run.value}-"))
}
