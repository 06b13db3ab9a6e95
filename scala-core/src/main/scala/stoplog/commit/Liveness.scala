// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.{Files, Paths}

import scala.util.Try

import stoplog.log.{LogRecord, RecordKind, RecordNames}
import stoplog.part.RunId
import stoplog.storage.{FileInfo, FileStore, Machine, SinkDirectory}

/** The signs that a driver is at work on a sink, as far as other processes can tell.
  *
  * No decision depends on it: the run that claims the log fences every older driver, alive or not. It keeps an
  * operator from stopping a query by mistake.
  */
private[stoplog] sealed trait Liveness extends Product with Serializable {

  /** One sentence for people. */
  def describe: String
}

private[stoplog] object Liveness {

  /** The last run has ended, or there was none. */
  case object Released extends Liveness {
    override def describe: String = "no driver: the last run has ended in good order"
  }

  /** Its process has ended. */
  final case class Dead(run: String, note: DriverNote) extends Liveness {
    override def describe: String =
      s"the driver of run $run is dead: there is no process ${note.pid} on ${note.host} any more"
  }

  /** Nothing was heard of it for longer than a driver that lives can be silent. */
  final case class Silent(run: String, forMillis: Long) extends Liveness {
    override def describe: String =
      s"the driver of run $run is taken for dead: no sign of it for ${forMillis / 1000} s"
  }

  /** It may be alive. */
  final case class Alive(run: String, forMillis: Long, evidence: Evidence) extends Liveness {
    override def describe: String = evidence.of(run, forMillis.max(0) / 1000)
  }

  /** The reason to take a driver for alive. */
  sealed trait Evidence extends Product with Serializable {
    def of(run: String, silentSeconds: Long): String
  }

  /** Its process is there, on this machine, whatever its signs of life say: it may be busy, or its storage may hang.
    * The process may also have given the sink up, which only an operator knows.
    */
  final case class ProcessIsThere(note: DriverNote, patienceMillis: Long) extends Evidence {
    override def of(run: String, silentSeconds: Long): String =
      s"the process of the driver of run $run, ${note.pid} on ${note.host}, is there, and its last sign of life is " +
        s"$silentSeconds s old" + (if (silentSeconds * 1000 >= patienceMillis) Hanging else "")
  }

  /** It gave a sign of life not long ago. */
  final case class SignOfLife(patienceMillis: Long, where: String) extends Evidence {
    override def of(run: String, silentSeconds: Long): String =
      s"the driver of run $run$where gave a sign of life $silentSeconds s ago, and counts as dead " +
        s"only after ${patienceMillis / 1000} s without one"
  }

  /** @param files     all beats, and the file of the newest record
    * @param isThere   whether a process is there, where that can be told
    * @param nowMillis by the clock of the storage, which wrote down when these files were made. The driver's clock may be
    *                  any time off: the time in the record counts only where its file has none
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

  private val Hanging = ": its storage may hang (STOPLOG_STORAGE_HANGS), or the process has given the sink up"

  /** A beat may be late, and one may be lost to a storage that does not answer. */
  private[stoplog] val MissedBeats = 3

  /** The default of `bucketCheckInterval`. */
  private[stoplog] val UsualMillis = 60 * 1000L

  /** Writing a beat takes a while. */
  private[stoplog] val ShortestMillis = 1000L
}

/** The process of a run's driver, and how often it looks at its sink, as the run's records say it. For tools, which
  * leave alone a sink that a driver is at work on; no decision of the protocol depends on it.
  *
  * @param host            as its users call the machine
  * @param space           where process numbers mean the same: the boot of a kernel, and the process namespace in it;
  *                        empty where that cannot be told
  * @param startedTicks    of the process, since a number may be given again: clock ticks since the boot, which no step of
  *                        the clock changes. Milliseconds since 1970 where the system has no `/proc`
  * @param everyMillis     how often it looks at its sink, at least
  */
private[stoplog] final case class DriverNote(
    host: String,
    space: String,
    pid: Long,
    startedTicks: Long,
    everyMillis: Long
) {

  /** One line for the log's settings, which [[DriverNote.read]] reads. */
  def text: String = s"$host $space $pid $startedTicks $everyMillis"

  /** Whether the process is there; `None` if that can be told only elsewhere. */
  def isThere: Option[Boolean] = {
    val here = DriverNote.ofThisProcess(everyMillis)
    Option.when(here.host == host && here.space == space)(DriverNote.started(pid).contains(startedTicks))
  }
}

private[stoplog] object DriverNote {

  /** The setting that holds it. */
  val Key: String = "driver"

  def ofThisProcess(everyMillis: Long): DriverNote = {
    val pid = ProcessHandle.current().pid()
    DriverNote(host, space, pid, started(pid).getOrElse(0L), everyMillis)
  }

  /** `None` for what no release has written. */
  def read(text: String): Option[DriverNote] = text match {
    case Noted(host, space, pid, started, every) =>
      Some(DriverNote(host, space, pid.toLong, started.toLong, every.toLong))
    case _ => None
  }

  // The Python package reads it by the same pattern.
  private val Noted = "(\\S*) (\\S*) ([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18})".r

  private lazy val host: String = Machine.here.name.filterNot(_.isWhitespace)

  /** Two containers may have one name and each a process of this number. */
  private lazy val space: String = Seq(
    Machine.bootId,
    Try(Files.readSymbolicLink(Paths.get("/proc/self/ns/pid")).toString).toOption
  ).flatten.mkString("/").filterNot(_.isWhitespace)

  /** When the process was started; `None` if it has ended. */
  private def started(pid: Long): Option[Long] =
    if (space.isEmpty) {
      val process = ProcessHandle.of(pid)
      Option.when(process.isPresent && process.get.isAlive) {
        process.get.info().startInstant().map[Long](_.toEpochMilli).orElse(0L)
      }
    } else Try(Files.readAllBytes(Paths.get(s"/proc/$pid/stat"))).toOption.flatMap(startedTicks)

  /** The start in a process's line of `/proc`; `None` if the process has ended, and its parent has not asked for its exit
    * code. A process may have any bytes as its name, which ends with the last bracket.
    */
  private[commit] def startedTicks(stat: Array[Byte]): Option[Long] = {
    val words = new String(stat, ISO_8859_1).drop(stat.lastIndexOf(')'.toByte) + 1).trim.split(" +")
    Option.when(words.sizeIs > StartField && !Ended(words.head))(words(StartField).toLong)
  }

  private final val StartField = 19 // behind the name; the 22nd of all
  private val Ended            = Set("Z", "X")
}

/** Says between two records that a driver is alive. For tools, as [[DriverNote]] is.
  *
  * A beat is a small file `_stoplog/<sinkId>/alive/<run>-<n>`, and takes the place of the one before. Every record is a
  * sign of life as well, so a query with data has none of them.
  */
private[stoplog] final class Heartbeat(notes: FileStore, sinkId: String, run: RunId) {
  private var count  = 0L
  private var latest = Option.empty[String]

  /** The first one also removes what runs have left that were killed. */
  def beat(): Unit = synchronized {
    if (count == 0) follow(Heartbeat.all(notes, sinkId).map(_.path)) else beatBeside()
  }

  /** [[beat]] without that. */
  private[stoplog] def beatBeside(): Unit = synchronized(follow(latest.toVector))

  private def follow(former: Vector[String]): Unit = {
    val next = s"${Heartbeat.directory(sinkId)}/${run.value}-$count"
    notes.putIfAbsent(next, run.value.getBytes(UTF_8))
    count += 1
    latest = Some(next)
    if (former.nonEmpty) notes.delete(former)
  }

  /** No more of them: the run is over. */
  def stop(): Unit = synchronized {
    if (latest.nonEmpty) notes.delete(latest.toVector)
    latest = None
  }

  /** The time of this run's newest beat, by the clock of the storage. */
  private[stoplog] def writtenAtMillis: Option[Long] = synchronized(latest).flatMap { path =>
    Heartbeat.all(notes, sinkId).find(_.path == path).flatMap(_.modifiedMillis)
  }
}

private[stoplog] object Heartbeat {

  /** The directory of a sink's heartbeats. */
  def directory(sinkId: String): String = SinkDirectory(sinkId).alive

  /** Those that are there, of any run. */
  def all(notes: FileStore, sinkId: String): Vector[FileInfo] = notes.list(directory(sinkId), prefix = "")

  /** The same, and the file of this record, which is a sign of life as well. */
  def signs(notes: FileStore, sinkId: String, seq: Long): Vector[FileInfo] =
    all(notes, sinkId) ++ notes.stat(s"${SinkDirectory(sinkId).log}/${RecordNames.name(seq)}")

  /** Those of one run. */
  def of(run: RunId, all: Vector[FileInfo]): Vector[FileInfo] =
    all.filter(_.name.startsWith(s"${run.value}-"))
}
