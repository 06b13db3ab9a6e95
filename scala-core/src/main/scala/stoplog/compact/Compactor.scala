// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, Path}

import stoplog.error.Errors
import stoplog.part.BlockOutput

/** Writes several files of one format as one: how small parts are merged.
  *
  * The formats that stoplog knows by name have theirs. Implement this for files of an own `encoder` or `bulkWriter`,
  * and name the class in the option `compactor`:
  *
  * {{{
  * /** Files that are nothing but records one after another. */
  * class Appended extends Compactor {
  *   override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit =
  *     inputs.foreach(input => Using.resource(input.open())(_.transferTo(out)))
  * }
  * }}}
  *
  * It is sent to an executor by Java serialization. A merge that fails changes nothing that readers see.
  */
trait Compactor extends Serializable {

  /** Writes all rows of the inputs, in their order, as one whole file.
    *
    * @param inputs two files or more, which are never changed
    * @param out    the file, empty still; not to be closed
    */
  def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit

  /** The common property of files that may be merged, such as their columns: only files with an equal answer are
    * merged. Asked of files of which no log tells that, in old directories.
    */
  def likeness(input: CompactionInput): String = ""
}

private[stoplog] object Compactor {

  /** Refuses files that are not alike. Error: `IllegalArgumentException`. */
  def requireAlike(likenesses: Seq[String], difference: String): Unit =
    if (likenesses.distinct.sizeIs > 1)
      throw new IllegalArgumentException(s"The files have $difference, than each other.")

  /** Refuses a merge that has not exactly the rows that its inputs, and the log as far as it knows them, say they have: no file
    * may take their place then. Every compactor of a format whose files count their rows asks this once it has written its
    * file. Error: `STOPLOG_MERGE_INCOMPLETE`.
    */
  def requireRows(inputs: Seq[CompactionInput], told: Long, written: Long): Unit = {
    val logged = inputs.flatMap(_.records)
    val all    = if (logged.size == inputs.size) Seq(told, logged.sum) else Seq(told)
    all.filter(_ != written).foreach(refuse(inputs, _, written))
  }

  /** The same for lines, which do not say how many rows they are: a row may have an end of a line within a value, but none is
    * without one. Error: `STOPLOG_MERGE_INCOMPLETE`.
    */
  def requireLines(input: CompactionInput, written: Long): Unit =
    input.records.filter(_ > written).foreach(refuse(Seq(input), _, written))

  private def refuse(inputs: Seq[CompactionInput], told: Long, written: Long): Nothing =
    throw Errors.mergeIncomplete(inputs.map(_.path.toString), told, written)

  /** Whether blocks are too small to be copied: on the average, below this limit. */
  def areSmall(blockBytes: Seq[Long], limit: Long): Boolean =
    blockBytes.isEmpty || blockBytes.sum / blockBytes.size < limit
}

/** A finished file that is to be merged with others.
  *
  * @param configuration under which the path's file system is reached
  * @param sizeBytes     the committed bytes. A compactor MUST NOT read more of the file
  * @param records       the rows of the file by the log of its sink; none where no log tells them
  * @param storedBytes   the length of the file, if a valid-length file says that fewer bytes count. [[open]] then ends after
  *                      `sizeBytes`; a reader of the path itself does not
  */
final case class CompactionInput(
    path: Path,
    sizeBytes: Long,
    configuration: Configuration,
    records: Option[Long] = None,
    storedBytes: Option[Long] = None
) {

  /** Its committed bytes, from the beginning; the caller closes it. Can be positioned anywhere. */
  def open(): FSDataInputStream = {
    val in = path.getFileSystem(configuration).open(path)
    if (storedBytes.isEmpty) in else new FSDataInputStream(new CommittedInput(in, sizeBytes))
  }
}

/** Files of one directory that become one.
  *
  * @param directory under the path; empty for the path itself
  * @param names     of the files
  * @param sizeBytes of all of them
  */
final case class PlannedMerge(directory: String, names: Seq[String], sizeBytes: Long) {

  /** [[names]] for Java and Python. */
  def namesAsList(): JList[String] = names.asJava
}
