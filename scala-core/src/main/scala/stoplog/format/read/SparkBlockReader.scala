// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{Closeable, FileNotFoundException}
import java.net.URI

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

import stoplog.source.Fetched
import stoplog.source.file._
import stoplog.storage.SourceFiles

/** A record of Spark's own reader. */
private[read] trait BlockRecord extends Located {

  /** A row, or a batch of them. */
  def row: Any
}

/** Reads pieces of files by a reader of Spark's. */
private[read] final class SparkBlockReader(
    files: SourceFiles,
    read: PartitionedFile => Iterator[InternalRow],
    values: SparkBlocks.Values,
    onMissing: OnMissingFile
) extends FileByFile[SparkBlockReader.Open, BlockRecord](files, onMissing) {

  override protected def begin(split: FileSplit): SparkBlockReader.Open =
    new SparkBlockReader.Open(read(partitioned(split)))

  override protected def hasMore(open: SparkBlockReader.Open): Boolean = open.all.hasNext

  override protected def records(
      split: FileSplit,
      open: SparkBlockReader.Open
  ): Fetched.Records[FileSplit, BlockRecord] = new Records(split, open.all)

  override protected def position(split: FileSplit, open: Option[SparkBlockReader.Open]): String =
    split.extent.toString

  // Spark tells of any trouble in words of its own, and what happened is behind them.
  override protected def told(causes: Seq[Throwable]): Throwable    = causes.last
  override protected def isMissing(causes: Seq[Throwable]): Boolean =
    causes.exists(_.isInstanceOf[FileNotFoundException])

  private def partitioned(split: FileSplit): PartitionedFile = {
    val (from, until) = split.extent match {
      case Extent.Bytes(from, until) => (from, until)
      case _: Extent.Records         => (0L, split.file.bytes)
    }
    PartitionedFile(
      values.of(split.file, files.describe(split.file.path)),
      SparkPath.fromPath(new HadoopPath(files.locate(split.file.path))),
      from,
      until - from,
      Array.empty,
      split.file.modifiedMillis,
      split.file.bytes
    )
  }

  /** Up to a number of records, so that whoever wakes the reader need not wait for the whole file. */
  private final class Records(override val split: FileSplit, all: Iterator[Any])
      extends Fetched.Records[FileSplit, BlockRecord]
      with BlockRecord {
    private var left         = SparkBlockReader.AtOnce
    private var current: Any = _

    override def advance(): Boolean = left > 0 && moved() && {
      left -= 1
      true
    }

    override def record: BlockRecord = this

    override def row: Any               = current
    override def fileName: String       = files.describe(split.file.path)
    override def location: URI          = files.locate(split.file.path)
    override def position: Option[Long] = None

    /** None: only Spark's own reader knows where it is. */
    override def rest: Option[FileSplit] = None

    private def moved(): Boolean =
      try
        all.hasNext && {
          current = all.next()
          true
        }
      catch { case NonFatal(e) => throw unreadable(split, e) }
  }
}

private[read] object SparkBlockReader {
  final val AtOnce = 4096

  /** Spark's iterators are of rows by their type, and maybe of batches; and some hold a file. */
  final class Open(rows: Iterator[InternalRow]) extends AutoCloseable {
    val all: Iterator[Any] = rows

    override def close(): Unit = rows match {
      case closeable: Closeable => closeable.close()
      case _                    => ()
    }
  }
}
