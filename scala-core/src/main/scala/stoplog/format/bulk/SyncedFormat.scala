// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.commit.{PartBuffer, PartEncoder, PartFormat, Unflushed}
import stoplog.compact.Compactor
import stoplog.part.{BlockOutput, Spooled}

/** A format whose files are a header and then blocks that each stand on their own: Avro's container, SequenceFile.
  *
  * A part stays open across epochs. The end of each ends the block begun, so that the bytes so far are a whole file, and
  * nothing has to be spooled (I2). The next epoch goes on behind them, maybe in another process, with the ''sync
  * marker'' that the header promised to readers. The part's name therefore gives the marker.
  *
  * Made on the driver, sent to every task by Java serialization, opened there once, and used by one thread at a time.
  */
private[stoplog] trait SyncedFormat extends Serializable {

  /** The end of the name of a part in this format, with its dot; empty for none. */
  def suffix: String

  /** What the header of a part promises of all blocks behind it, beyond the sink's options and columns. */
  def promised: String = ""

  /** Prepares the format; the caller does so once, before [[writer]].
    *
    * @param schema the columns of the rows (Hive-style partition columns left out)
    */
  def open(schema: StructType): Unit

  /** A writer at the end of the part: at position 0 of `out` it writes the header, elsewhere it goes on.
    *
    * @param name the part's name, the same in every epoch
    */
  def writer(out: BlockOutput, name: String): SyncedWriter

  /** The compactor of files of this format. */
  def compactor: Option[Compactor] = None
}

private[format] object SyncedFormat {

  /** The 16 bytes between blocks of a part. Avro and Hadoop draw them by the same function of a unique text; a part's
    * name is one, too, since it has the run's random id in it.
    */
  def marker(name: String): Array[Byte] = MessageDigest.getInstance("MD5").digest(name.getBytes(UTF_8))
}

/** Writes the rows of one part.
  */
private[stoplog] trait SyncedWriter extends AutoCloseable {

  /** Takes one row, which must not be kept: it is reused.
    *
    * @throws stoplog.commit.BadRow if it is the row that cannot be written; the writer is as it was before
    */
  def write(row: InternalRow): Unit

  /** Bytes of rows taken that the output does not have yet, before compression: an upper estimate. 0 after [[sync]]. */
  def bufferedBytes: Long

  /** Ends the block and hands all of it to the output, which then holds a whole file. Rows may follow. */
  def sync(): Unit

  /** Frees what it holds. Rows taken since the last [[sync]] and still buffered are given up. */
  def close(): Unit
}

/** Parts of a format that ends a block with each epoch, as the commit protocol sees them. For one task.
  *
  * @param project the columns that are written
  */
private[stoplog] final class SyncedParts(format: SyncedFormat, project: InternalRow => InternalRow)
    extends PartFormat[InternalRow] {

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] = new SyncedEncoder(name, end)

  override def resume(name: String, end: PartBuffer, beside: Spooled): PartEncoder[InternalRow] =
    new SyncedEncoder(name, end)

  private final class SyncedEncoder(name: String, end: PartBuffer) extends PartEncoder[InternalRow] {
    private[this] var writer = Option.empty[SyncedWriter]

    override def append(row: InternalRow): Unit =
      writer.getOrElse(opened()).write(project(row))

    /** Buffered rows count as they are before compression, so that a limit is never passed unseen. */
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

    private def opened(): SyncedWriter = {
      val fresh = format.writer(new BlockChain.PartBlocks(end), name)
      writer = Some(fresh)
      fresh
    }
  }
}
