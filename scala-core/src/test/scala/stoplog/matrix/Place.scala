// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit.{PathLogs, SinkStores, TestPathLogs}
import stoplog.fault.Faults
import stoplog.log.{CommitLog, LogFiles, TestRules}
import stoplog.part.{RecordShare, RunId}
import stoplog.rolling.RollingPolicy
import stoplog.storage.{FileStore, JobDirectory, NewPart, PartStore, ReplacedFiles, SpoolFiles}

/** A directory that runs come and go in, and a way to look at it that is none of the product's. */
trait Place {

  /** As users write it. */
  def root: String
  def content: Content

  /** When parts are closed here. */
  def policy: RollingPolicy = content.policy

  /** What its open parts may have in the record. */
  def inRecord: RecordShare = RecordShare.none

  /** The stores, as a new process would make them. */
  def parts(sinkId: String, faults: Faults): PartStore
  def spoolFiles(sinkId: String): SpoolFiles
  final def finished(): ReplacedFiles = replaced(Place.SinkId)
  def replaced(sinkId: String): ReplacedFiles
  def records(sinkId: String, faults: Faults): LogFiles
  def notes(sinkId: String): FileStore
  def job(name: String): JobDirectory

  /** Paths of all files, hidden ones too, relative to the root. */
  def files(): Vector[String]

  /** What readers take of the file. */
  def read(file: String): Array[Byte]
  def plant(file: String, bytes: Array[Byte]): Unit

  /** What is unfinished and no file; only object stores have any. */
  def uploads(): Vector[String] = Vector.empty

  /** Whether the file is an unfinished part beside the finished ones. */
  def unfinishedInBucket(name: String): Boolean = false

  /** The finished file of which this one says how much of it counts, if it is of that kind. */
  def described(file: String): Option[String] = None

  /** Does what the operating systems do when a process ends, to all that have used the place until now. */
  def processesDied(): Unit
  def remove(): Unit

  final def parts(faults: Faults): PartStore = parts(Place.SinkId, faults)

  final def spoolFiles(): SpoolFiles = spoolFiles(Place.SinkId)

  final def log(faults: Faults): CommitLog =
    new CommitLog(records(Place.SinkId, faults), TestRules.differences)

  /** The logs, as a new process would see them. */
  final def logs(faults: Faults): PathLogs = new TestPathLogs(
    root,
    notes("any"),
    id =>
      SinkStores.of(
        new CommitLog(records(id, faults)),
        parts(id, faults),
        spoolFiles(id),
        replaced(id),
        notes(id)
      )
  )

  /** What attempts of other runs left: in no record. */
  final def leaveOrphans(count: Int): Unit = (1 to count).foreach { number =>
    val output = parts(Faults.none).create(NewPart("a", s"orphan-$number", RunId.random()))
    val bytes  = ("never committed\n" * 200).getBytes
    output.write(bytes, 0, bytes.length)
    output.persist()
  }
}

object Place {
  val SinkId: String = "main"
}
