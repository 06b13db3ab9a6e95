// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.part.RunId
import stoplog.storage.{FileInfo, FileStore, SinkDirectory}

/** Says between two records that a driver is alive. For tools, as [[DriverNote]] is.
  *
  * A beat is a small file `_stoplog/<sinkId>/alive/<run>-<n>`, and takes the place of the one before. Every record is a
  * sign of life as well, so a query with data has none of them.
  */
final class Heartbeat(notes: FileStore, sinkId: String, run: RunId) {
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

object Heartbeat {

  /** The directory of a sink's heartbeats. */
  def directory(sinkId: String): String = SinkDirectory(sinkId).alive

  /** Those that are there, of any run. */
  def all(notes: FileStore, sinkId: String): Vector[FileInfo] = notes.list(directory(sinkId), prefix = "")

  /** Those of one run. */
  def of(run: RunId, all: Vector[FileInfo]): Vector[FileInfo] =
    all.filter(_.name.startsWith(s"${run.value}-"))
}
