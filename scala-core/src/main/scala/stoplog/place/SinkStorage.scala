// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.commit.{CompactionCommit, SinkDriver, SinkIdentity, SinkStores}
import stoplog.fault.Faults
import stoplog.log.{CommitLog, RecordStore}
import stoplog.part.RunId
import stoplog.preflight.Finding
import stoplog.rolling.RollingPolicy
import stoplog.store.{
  Durability, FinishedStore, JobStore, NoteStore, PartLayout, PartStore, SideStore, Truncation
}

/** The stores of one sink id under one path. Goes to the executors.
  *
  * @param path as the user wrote it, for messages
  */
private[stoplog] final class SinkStorage private (
    val path: String,
    val sinkId: String,
    place: SinkPlace,
    layout: PartLayout
) extends Serializable {
  @transient lazy val parts: PartStore = place.parts(sinkId, layout)

  @transient lazy val sides: SideStore = place.sides(sinkId)

  @transient lazy val finished: FinishedStore = place.finished(sinkId)

  @transient lazy val records: RecordStore = place.records(sinkId)

  def notes: NoteStore = place.notes(sinkId)

  /** A file under the path, for readers of any format. */
  def pathOf(relative: String): HadoopPath = place.pathOf(relative)

  /** The directory of this sink id, which for a batch job is its own. */
  def job: JobStore = place.job(sinkId)

  def log: CommitLog = new CommitLog(records)

  /** All that the log names, and itself. */
  def all: SinkStores = SinkStores(log, parts, sides, finished, notes)

  /** A run of the batch compaction of the path. */
  def compaction(run: RunId, tools: SinkDriver.Tools): CompactionCommit = {
    val id = CompactionCommit.SinkId
    new CompactionCommit(run, SinkIdentity(path, id, id), as(id).all, tools)
  }

  /** Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(): Unit = place.probe(sinkId, layout)

  /** Does the same under the name of a sink that is gone afterwards, and says what that has shown.
    *
    * @param scratch a sink id that nobody else has
    * @param asked   when parts are to be closed
    * Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def trial(scratch: String, asked: RollingPolicy): Vector[Finding] = {
    val found =
      try {
        place.probe(scratch, layout)
        place.shown(scratch, asked)
      } catch {
        case NonFatal(e) =>
          Try(place.job(scratch).remove(Faults.none)) // what it was refused for is what has to be told
          throw e
      }
    place.job(scratch).remove(Faults.none)
    found
  }

  /** The names of a part before it is finished. */
  def names: PartLayout = layout

  /** When parts are closed on this storage. */
  def policy(asked: RollingPolicy): RollingPolicy = place.policy(sinkId, asked)

  /** For a task, before its first byte. Error: `STOPLOG_FENCED` when there is a record newer than `seq`. */
  def refuseIfOvertaken(seq: Long): Unit = log.refuseIfOvertaken(path, sinkId, seq)

  /** The same path under another sink id, parts in the staging directory. */
  def as(otherSinkId: String): SinkStorage =
    new SinkStorage(path, otherSinkId, place, PartLayout.Staging(otherSinkId))

  def finishesAnywhere: Boolean = place.finishesAnywhere

  /** The sink ids under this path whose names begin like this. */
  def sinkIds(prefix: String): Vector[String] = place.sinkIds(prefix)
}

private[stoplog] object SinkStorage {

  /** Of a sink that is to be written to.
    *
    * @param layout where its unfinished parts are
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def of(
      path: String,
      sinkId: String,
      layout: PartLayout,
      durability: Durability,
      truncation: Truncation,
      configuration: Configuration
  ): SinkStorage = {
    val place = SinkPlace.of(path, durability, truncation, configuration)
    place.refuseIfHopeless()
    new SinkStorage(path, sinkId, place, layout)
  }

  /** For looking at a sink's state, which needs nothing of how it is written. */
  def reading(path: String, sinkId: String, configuration: Configuration): SinkStorage =
    plain(path, sinkId, Durability.Process, configuration)

  /** Of a log that belongs to no sink. */
  def plain(path: String, sinkId: String, durability: Durability, configuration: Configuration): SinkStorage =
    new SinkStorage(
      path,
      sinkId,
      SinkPlace.of(path, durability, Truncation.Allowed, configuration),
      PartLayout.Staging(sinkId)
    )

  /** Of a sink whose options are not known: as its log says, and `truncation`, that it was written.
    *
    * @param layout where its unfinished parts are
    */
  def recorded(
      path: String,
      sinkId: String,
      layout: PartLayout,
      durability: Durability,
      truncation: Truncation,
      configuration: Configuration
  ): SinkStorage =
    new SinkStorage(
      path,
      sinkId,
      SinkPlace.of(path, durability, truncation, configuration),
      layout
    )
}
