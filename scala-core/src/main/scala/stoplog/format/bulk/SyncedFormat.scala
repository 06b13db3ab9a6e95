// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.part.{BlockOutput, Spooled}
import stoplog.writing.{PartBuffer, PartEncoder, PartFormat, Unflushed}

/** A format whose files are a header followed by self-contained blocks: Avro's container, SequenceFile.
  *
  * A part stays open across epochs. Each epoch ends its last block, so that the bytes so far are a complete
  * file and nothing has to be spooled (I2). The next epoch, possibly in another process, appends after these
  * bytes, with the ''sync marker'' that the header announced to readers. The marker is therefore derived from
  * the part's name.
  *
  * A format is created on the driver, sent to each task by Java serialization, and opened there once. A
  * format is used by one thread at a time.
  */
private[stoplog] trait SyncedFormat extends Serializable {

  /** Returns the suffix of part names in this format, including the dot; empty for none. */
  def suffix: String

  /** Returns the block properties fixed by a part's header, beyond the sink's options and columns. */
  def promised: String = ""

  /** Prepares the format. The caller calls this method once, before [[writer]].
    *
    * @param schema the columns of the rows, without Hive-style partition columns
    */
  def open(schema: StructType): Unit

  /** Returns a writer at the end of the part. At position 0 of `out`, the writer writes the header; elsewhere
    * the writer resumes the part.
    *
    * @param name the part's name, the same in every epoch
    */
  def writer(out: BlockOutput, name: String): SyncedWriter

  /** Returns the compactor for files of this format. */
  def compactor: Option[Compactor] = None
}

private[format] object SyncedFormat {

  /** Returns the 16 bytes between blocks of a part. Avro and Hadoop also hash a unique string. A part's name
    * is unique, because the name contains the run's random id.
    */
  def marker(name: String): Array[Byte] = MessageDigest.getInstance("MD5").digest(name.getBytes(UTF_8))
}

/** Writes the rows of one part. */
private[stoplog] trait SyncedWriter extends AutoCloseable {

  /** Adds one row. The row and its values are valid only during the call: copy the values to keep.
    *
    * @throws stoplog.writing.BadRow if the row itself cannot be written; the state of the writer is then
    *                               unchanged
    */
  def write(row: InternalRow): Unit

  /** An upper estimate of the bytes of rows not yet in the output, uncompressed. 0 after [[sync]]. */
  def bufferedBytes: Long

  /** Ends the block and writes the block to the output, which is then a complete file. Rows may follow. */
  def sync(): Unit

  /** Releases resources. Rows since the last [[sync]] still in the buffer are given up. */
  def close(): Unit
}

/** Parts of a format whose blocks end with each epoch, as seen by the commit protocol. For one task.
  *
  * @param project the written columns
  */
private[stoplog] final class SyncedParts(format: SyncedFormat, project: InternalRow => InternalRow)
    extends PartFormat[InternalRow] {

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] = new SyncedEncoder(name, end)

  override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[InternalRow] =
    new SyncedEncoder(name, end)

  private final class SyncedEncoder(name: String, end: PartBuffer) extends PartEncoder[InternalRow] {
    private[this] var writer = Option.empty[SyncedWriter]

    override def begin(): Unit = writer = Some(format.writer(new BlockChain.PartBlocks(end), name))

    override def append(row: InternalRow): Unit = writer match {
      case Some(open) => open.write(project(row))
      case None       => throw new IllegalStateException(s"$name was not begun")
    }

    /** Counts buffered rows by their uncompressed size, so that no part exceeds a limit unnoticed. */
    override def sizeBytes: Long = end.position + writer.fold(0L)(_.bufferedBytes)

    override def pause(): Unflushed = {
      writer.foreach(_.sync())
      Unflushed.nothing
    }

    override def finish(): Unit = {
      pause()
      ()
    }

    override def close(): Unit = {
      writer.foreach(_.close())
      writer = None
    }
  }
}
