// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.fault.{Faults, Step}

/** The files of a batch job except parts and log: all files of the sink's path, and the job's directory
  * `_stoplog/<job>`.
  */
private[stoplog] class JobDirectory(
    files: FileStore,
    job: String,
    visible: VisibleFiles,
    ours: OwnTables = OwnTables.AtPath.Log
) {
  def this(files: FileStore, job: String) = this(files, job, new VisibleFiles(files))

  private val own = SinkDirectory(job)

  /** Lists the files in the scope that the job may replace. Error: `STOPLOG_FOREIGN_TABLE`.
    *
    * @param path as the user wrote it
    */
  def listed(path: String, scope: VisibleFiles.Scope): VisibleListing = {
    val listing = visible.list(scope)
    new ForeignOwners(ours).refuseIn(path, files, scope, listing)
    listing
  }

  /** Announces that the job replaces files. Called before the job reads any log; valid until the job ends. */
  def announce(): Unit = files.putIfAbsent(own.replaces, job.getBytes(UTF_8)): Unit

  /** Whether the job has announced that it replaces files. */
  def isAnnounced: Boolean = files.exists(own.replaces)

  /** Deletes the announcement. Called when the job has not decided, and cannot decide any more. */
  def takeBack(): Unit = files.delete(Seq(own.replaces))

  /** Deletes these directories and their parents, if empty. Never fails: an empty directory shows no rows. */
  def deleteEmptied(directories: Seq[String]): Unit =
    directories.filter(_.nonEmpty).distinct.foreach(files.deleteEmpty)

  /** Deletes the job's directory with all files. In the log, records are deleted from the oldest to the
    * newest, and marks last, together with the directory. A process with an older record, or a record without
    * a mark, would execute the record again. A mark without a record means the job was executed.
    */
  def delete(faults: Faults): Unit = {
    def deleted(entry: FileInfo): Unit = {
      if (entry.isDirectory) files.deleteTree(entry.path) else files.delete(Seq(entry.path))
      faults.at(Step.MidRemove)
    }
    files.list(own.path).filterNot(_.path == own.log).foreach(deleted)
    files.list(own.log).filterNot(_.name.endsWith(SinkDirectory.Mark)).sortBy(_.name).foreach(deleted)
    files.deleteTree(own.path) // with records that another job has written to fence this job
    faults.at(Step.MidRemove)
  }

  /** Whether no process has written to the job's directory since `millis`, in milliseconds since
    * 1970-01-01T00:00:00Z.
    *
    * If a storage cannot report whether a file is open for writing, the modification time may be the creation
    * time. In this case a job without a record counts as running.
    */
  def untouchedSince(millis: Long): Boolean = {
    val there          = written
    lazy val hasRecord = there.exists(_.path.startsWith(s"${own.log}/"))
    areOld(there, millis) && there.forall(file => files.isClosed(file.path).getOrElse(hasRecord))
  }

  /** Like [[untouchedSince]], for a job that has decided: all its files are closed. */
  def decidedBefore(millis: Long): Boolean = areOld(written, millis)

  /** The lease of a process is no write: the process that checks the job has a lease, too. */
  private def written: Vector[FileInfo] = files.walk(own.path)(_ != own.writers)

  /** For a directory without files, uses the directory's own modification time, if the storage has it. */
  private def areOld(there: Vector[FileInfo], millis: Long): Boolean = {
    def isOld(entry: FileInfo): Boolean = entry.modifiedMillis.forall(_ < millis)
    if (there.isEmpty) files.stat(own.path).exists(entry => entry.modifiedMillis.isDefined && isOld(entry))
    else there.forall(isOld)
  }
}
