// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.io.IOException
import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, Path}

import stoplog.error.Errors
import stoplog.part.BlockOutput

/** Writes several files of one format as one file, to compact small parts.
  *
  * The formats that stoplog knows by name have built-in compactors. Implement this trait for files of a
  * custom `format`, and name the class in the option `compactor`:
  *
  * {{{
  * /** Files that are nothing but records one after another. */
  * class Appended extends Compactor {
  *   override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit =
  *     inputs.foreach(input => Using.resource(input.open())(_.transferTo(out)))
  * }
  * }}}
  *
  * It is sent to an executor by Java serialization. A compaction that fails changes nothing that readers see.
  */
trait Compactor extends Serializable {

  /** Writes all rows of the inputs, in order, as one complete file.
    *
    * @param inputs two or more files, which never change
    * @param out    the output file, still empty; must not be closed
    */
  def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit

  /** Returns the common property of files that may be compacted, such as their columns: only files with equal
    * results are compacted. Called for files in old directories, without a log.
    */
  def likeness(input: CompactionInput): String = ""
}

private[stoplog] object Compactor {

  /** Throws `IllegalArgumentException` if the files are not alike. */
  def requireAlike(likenesses: Seq[String], difference: String): Unit =
    if (likenesses.distinct.sizeIs > 1)
      throw new IllegalArgumentException(s"The files differ: they have $difference.")

  /** Returns a text that is equal for files whose metadata says the same of their rows. Any entry may
    * describe the rows, so that files with other entries stay apart. Spark's own entries name its version and
    * its rules for dates, which compactors compare on their own.
    */
  def describing(entries: Iterable[(String, String)]): String = entries.toSeq
    .filterNot { case (key, _) => key.startsWith(OfSpark) }
    .sorted
    .map { case (key, value) => s"$key=$value" }
    .mkString(" ")

  private final val OfSpark = "org.apache.spark."

  /** Throws `STOPLOG_MERGE_INCOMPLETE` if the compacted file does not have exactly the rows of its inputs, by
    * their counts and by the log, if known. No file may be replaced then. Every compactor of a format with
    * row counts calls this after the file is written.
    */
  def requireRows(inputs: Seq[CompactionInput], reported: Long, written: Long): Unit = {
    val logged = inputs.flatMap(_.records)
    val all    = if (logged.size == inputs.size) Seq(reported, logged.sum) else Seq(reported)
    all.filter(_ != written).foreach(refuse(inputs, _, written))
  }

  /** Does the same for lines, which have no row count. A row may have line ends within a value, but no row is
    * without a line end. Error: `STOPLOG_MERGE_INCOMPLETE`.
    */
  def requireLines(input: CompactionInput, written: Long): Unit =
    input.records.filter(_ > written).foreach(refuse(Seq(input), _, written))

  private def refuse(inputs: Seq[CompactionInput], reported: Long, written: Long): Nothing =
    throw Errors.compactionIncomplete(inputs.map(_.path.toString), reported, written)

  /** Returns whether blocks are too small to be copied: below this limit on average. */
  def areSmall(blockBytes: Seq[Long], limit: Long): Boolean =
    blockBytes.isEmpty || blockBytes.sum / blockBytes.size < limit
}

/** A finished file to be compacted with others.
  *
  * @param configuration the configuration for the path's file system
  * @param sizeBytes     the committed bytes. A compactor MUST NOT read more of the file
  * @param records       the rows of the file by the log of its sink; `None` if no log has the number
  * @param storedBytes   the length of the file, if a valid-length file specifies fewer bytes. A reader of the
  *                      path itself does not end after `sizeBytes`
  */
final case class CompactionInput(
    path: Path,
    sizeBytes: Long,
    configuration: Configuration,
    records: Option[Long] = None,
    storedBytes: Option[Long] = None
) {

  /** Opens the committed bytes from the start; the caller closes the stream. Supports seeks. A read throws
    * `IOException` if the file ends before `sizeBytes`.
    */
  def open(): FSDataInputStream = opened(() => -1)

  /** The same, for a reader that reads nothing after a whole last record, and takes an `EOFException` for the
    * end of the rows. A read after the committed bytes throws `IOException`.
    */
  private[stoplog] def openWhole(): FSDataInputStream =
    opened(() => throw new IOException(s"$path ends within a record"))

  private def opened(atEnd: () => Int): FSDataInputStream =
    new FSDataInputStream(new CommittedInput(path.getFileSystem(configuration).open(path), sizeBytes, atEnd))
}

/** Files of one directory to be compacted to one file.
  *
  * @param directory relative to the path; empty for the path itself
  * @param names     the names of the files
  * @param sizeBytes the size of all files
  * @param problem   the reason of a failed compaction, whose files stay unchanged; otherwise empty
  */
final case class PlannedCompaction(
    directory: String,
    names: Seq[String],
    sizeBytes: Long,
    problem: String = ""
) {

  /** Returns [[names]] for Java and Python. */
  def namesAsList(): JList[String] = names.asJava
}
