// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.fault.{Faults, Step}

/** The files of a batch job beside parts and log: the sink's path as a whole, and its own directory
  * `_stoplog/<job>` there.
  */
private[stoplog] class JobDirectory(files: FileStore, job: String, visible: VisibleFiles) {
  def this(files: FileStore, job: String) = this(files, job, new VisibleFiles(files))

  private val own = SinkDirectory(job)

  /** The files in the scope that the job may replace. Error: `STOPLOG_FOREIGN_TABLE`.
    *
    * @param path as the user wrote it
    */
  def listed(path: String, scope: VisibleFiles.Scope): VisibleListing = {
    val listing = visible.list(scope)
    new ForeignOwners().refuseBelow(path, files, listing)
    listing
  }

  /** Announces that the job replaces files, before it reads any log, until the job is over. */
  def announce(): Unit = files.putIfAbsent(own.replaces, job.getBytes(UTF_8)): Unit

  /** Whether the job has announced that it replaces files. */
  def isAnnounced: Boolean = files.exists(own.replaces)

  /** Takes the announcement back: the job has decided nothing, and never will. */
  def takeBack(): Unit = files.delete(Seq(own.replaces))

  /** Deletes these directories, and those above them, as far as they are empty. Never fails: an empty directory shows no
    * rows.
    */
  def deleteEmptied(directories: Seq[String]): Unit =
    directories.filter(_.nonEmpty).distinct.foreach(files.deleteEmpty)

  /** Deletes the job's own directory with all that is in it. Of the log, records go first, the newest one last of them, and
    * marks with the directory itself: a process that found an older record, or one without its mark, would carry that out
    * again; and a mark without its record says that the job was carried out.
    */
  def delete(faults: Faults): Unit = {
    def deleted(entry: FileInfo): Unit = {
      if (entry.isDirectory) files.deleteTree(entry.path) else files.delete(Seq(entry.path))
      faults.at(Step.MidRemove)
    }
    files.list(own.path).filterNot(_.path == own.log).foreach(deleted)
    files.list(own.log).filterNot(_.name.endsWith(SinkDirectory.Mark)).sortBy(_.name).foreach(deleted)
    files.deleteTree(own.path) // another job may have kept this one from deciding anything since
    faults.at(Step.MidRemove)
  }

  /** Whether no process has written in the job's own directory since then, in milliseconds since 1970-01-01T00:00:00Z.
    *
    * A storage that cannot tell whether a file is being written may give the time of its beginning: then a job without a
    * record is taken for one at work.
    */
  def untouchedSince(millis: Long): Boolean = {
    val there          = files.walk(own.path)(_ => true)
    lazy val hasRecord = there.exists(_.path.startsWith(s"${own.log}/"))
    areOld(there, millis) && there.forall(file => files.isClosed(file.path).getOrElse(hasRecord))
  }

  /** The same for a job that has decided, whose files are all closed. */
  def decidedBefore(millis: Long): Boolean = areOld(files.walk(own.path)(_ => true), millis)

  /** Without files, by the time of the directory alone, where the storage keeps such times. */
  private def areOld(there: Vector[FileInfo], millis: Long): Boolean = {
    def isOld(entry: FileInfo): Boolean = entry.modifiedMillis.forall(_ < millis)
    if (there.isEmpty) files.stat(own.path).exists(entry => entry.modifiedMillis.isDefined && isOld(entry))
    else there.forall(isOld)
  }
}
