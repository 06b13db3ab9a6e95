// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import java.io.{FileNotFoundException, IOException}

import scala.collection.immutable.VectorMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.error.Log
import stoplog.storage.{RestorableFiles, SinkDirectory}

/** The added files of a commit, as read from the storage.
  *
  * @param found  by path, in the order of the announcements
  * @param absent the paths of files that no longer exist: a later record has removed or replaced the files
  * @tparam A the description of a file
  */
private[stoplog] final case class ReadFiles[A](found: VectorMap[String, A], absent: Set[String]) {

  /** Returns the first file that exists, which has the columns of a new table. Throws [[Refusal]] if no file
    * exists.
    */
  def first: A = found.values.headOption.getOrElse(throw ReadFiles.withoutColumns)
}

private[stoplog] object ReadFiles {

  /** Reads each file. Logs a warning if files are absent.
    *
    * Throws [[Refusal]] with the paths of all files without a readable footer, which readers of the table
    * could not read either. Throws `IOException` if the storage failed, if a file and the announced log are
    * missing, or if a replacement has hidden a file. Neither an unmounted directory nor hidden files must
    * look like removed files.
    *
    * @param sink    the path of the sink
    * @param logName the name of the announced log
    * @param read    returns the description of the file with this path
    */
  def of[A](sink: Path, logName: String, files: Vector[AddedFile], configuration: Configuration)(
      read: String => A
  ): ReadFiles[A] = {
    val result = look(sink, logName, files, configuration)(read)
    if (result.absent.nonEmpty)
      Log.warn(
        s"The table does not get ${result.absent.size} announced files that do not exist any more, such as " +
          s"$sink/${result.absent.min}"
      )
    result
  }

  /** Reads files until a file exists, and returns this file. Throws as [[of]], and [[Refusal]] if no file
    * exists.
    */
  def first[A](sink: Path, logName: String, files: Vector[AddedFile], configuration: Configuration)(
      read: String => A
  ): A = files.iterator
    .flatMap(file => look(sink, logName, Vector(file), configuration)(read).found.values)
    .nextOption()
    .getOrElse(throw withoutColumns)

  private def look[A](sink: Path, logName: String, files: Vector[AddedFile], configuration: Configuration)(
      read: String => A
  ): ReadFiles[A] = {
    val paths = files.map(_.file.path).distinct

    def at(path: String) =
      path -> FooterReading.of(new Path(s"$sink/$path"), configuration)(read(path))

    val looked  = paths.map(at)
    val missing = looked.collect { case (path, FooterReading.Absent) => path }
    if (missing.nonEmpty) {
      checkDirectory(new Path(s"$sink/${SinkDirectory(logName).log}"), missing.head, configuration)
      checkHidden(sink, missing, configuration)
    }
    // A file that was hidden at the first look may have been restored since (P-144).
    val results = looked.map {
      case (path, FooterReading.Absent) => at(path)
      case other                        => other
    }
    refuse(sink, results.collect { case (path, damaged: FooterReading.Damaged) => path -> damaged.reason })
    val found = results.collect { case (path, FooterReading.Found(footer)) => path -> footer }.to(VectorMap)
    ReadFiles(found, paths.toSet -- found.keys)
  }

  private def refuse(sink: Path, damaged: Vector[(String, String)]): Unit =
    damaged.headOption.foreach { case (path, reason) =>
      val more = if (damaged.size == 1) "" else s", and ${damaged.size - 1} other announced files"
      throw new Refusal(
        s"the file $sink/$path has no readable footer ($reason)$more: the content is truncated, damaged or of another format. " +
          "Restore the file from a copy, or move it out of the path of the sink",
        damaged.map(_._1).toSet
      )
    }

  /** The log of an announcement has records. */
  private def checkDirectory(log: Path, absent: String, configuration: Configuration): Unit = {
    val hasRecords =
      try log.getFileSystem(configuration).listStatus(log).nonEmpty
      catch { case _: FileNotFoundException => false }
    if (!hasRecords)
      throw new IOException(
        s"the announced file $absent and the records in $log are missing; mount the directory of the sink again"
      )
  }

  /** A replacement that is called off restores its files, and has no announcement (P-144). */
  private def checkHidden(sink: Path, missing: Vector[String], configuration: Configuration): Unit =
    RestorableFiles.at(sink.toString, configuration).placeOf(missing).foreach { place =>
      throw new IOException(
        s"an announced file is hidden at $place until a replacement is carried out or called off; after the death of a " +
          "process, the next batch job or start of the query does this"
      )
    }

  private def withoutColumns = new Refusal(
    "no announced file exists any more from which the table could get its columns. Create the table, or give the target " +
      "another name and start = snapshot"
  )
}
