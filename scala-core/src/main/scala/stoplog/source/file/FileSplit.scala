// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{DataInput, DataOutput}

import stoplog.source.{Admitted, Split, SplitSize, VersionedSerializer}
import stoplog.storage.{Ending, FileId, SourceFile}

/** A file, or a piece of a file.
  *
  * @param framing the settings by which the positions of the extent are counted; `None` for the defaults of
  *   the format. With other settings, the same positions are other records
  */
private[stoplog] final case class FileSplit(
    file: SourceFile,
    extent: Extent,
    framing: Option[String] = None
) extends Split {

  override def describe: String = s"${file.path} $extent"

  override def size: SplitSize = extent match {
    case Extent.Bytes(from, until)          => SplitSize(until - from, None)
    case Extent.Records(0, Extent.ToTheEnd) => SplitSize(file.bytes, None)
    case Extent.Records(from, until)        =>
      SplitSize(0, Option.when(until != Extent.ToTheEnd)(until - from))
  }

  /** Returns the piece between two bytes or two records. */
  def piece(from: Long, until: Long): FileSplit = copy(extent = extent match {
    case _: Extent.Bytes   => Extent.Bytes(from, until)
    case _: Extent.Records => Extent.Records(from, until)
  })

  /** Returns the rest from a position, or `None` if the rest is empty. */
  def rest(at: Long): Option[FileSplit] = Option.when(at < extent.until)(piece(at, extent.until))

  /** Cuts the split in two, at a byte or a record. */
  def cut(at: Long, size: SplitSize): Admitted[FileSplit] =
    Admitted.Part(piece(extent.from, at), size, piece(at, extent.until))

  /** Whether the split includes the start of the file. */
  def isFirst: Boolean = extent.from == 0

  /** Whether the split includes the end of the file. */
  def isLast: Boolean = extent match {
    case Extent.Bytes(_, until)   => until >= file.bytes
    case Extent.Records(_, until) => until == Extent.ToTheEnd
  }

  def isWhole: Boolean = isFirst && isLast
}

private[stoplog] object FileSplit {

  /** Serializes splits for checkpoints and for tasks. */
  object Serializer extends VersionedSerializer[FileSplit] {
    override val version: Int = 1

    override def write(split: FileSplit, out: DataOutput): Unit = {
      val path = split.file.path.getBytes("UTF-8")
      out.writeInt(path.length)
      out.write(path)
      out.writeLong(split.file.bytes)
      out.writeLong(split.file.modifiedMillis)
      val SourceFile(_, _, _, stored, id, ending, tag, zone) = split.file
      val kind                                               = split.extent match {
        case _: Extent.Bytes   => InBytes
        case _: Extent.Records => InRecords
      }
      out.writeByte(
        kind |
          (if (stored.isDefined) IsLonger else 0) |
          (if (id.isKnown) WithId else 0) |
          (if (ending.isKnown) WithEnding else 0) |
          (if (tag.isDefined) WithTag else 0) |
          (if (zone.isDefined) WithZone else 0) |
          (if (split.framing.isDefined) WithFraming else 0)
      )
      stored.foreach(out.writeLong)
      if (id.isKnown) out.writeLong(id.value)
      if (ending.isKnown) out.writeInt(ending.crc)
      tag.foreach(out.writeUTF)
      zone.foreach(out.writeUTF)
      split.framing.foreach(out.writeUTF)
      out.writeLong(split.extent.from)
      out.writeLong(split.extent.until)
    }

    override def read(version: Int, in: DataInput): FileSplit = {
      val path = new Array[Byte](in.readInt())
      in.readFully(path)
      val (bytes, modified) = (in.readLong(), in.readLong())
      val kind              = in.readByte().toInt
      val stored            = Option.when((kind & IsLonger) != 0)(in.readLong())
      val id                = if ((kind & WithId) == 0) FileId.Unknown else FileId(in.readLong())
      val ending            = if ((kind & WithEnding) == 0) Ending.Unknown else Ending(in.readInt())
      val tag               = Option.when((kind & WithTag) != 0)(in.readUTF())
      val zone              = Option.when((kind & WithZone) != 0)(in.readUTF())
      val framing           = Option.when((kind & WithFraming) != 0)(in.readUTF())
      val file = SourceFile(new String(path, "UTF-8"), bytes, modified, stored, id, ending, tag, zone)
      kind & Kinds match {
        case InBytes   => FileSplit(file, Extent.Bytes(in.readLong(), in.readLong()), framing)
        case InRecords => FileSplit(file, Extent.Records(in.readLong(), in.readLong()), framing)
        case other     => throw new java.io.IOException(s"a split of kind $other")
      }
    }

    private final val InBytes   = 1
    private final val InRecords = 2
    private final val Kinds     = 3

    /** Set for a file of which only some bytes count. */
    private final val IsLonger = 4

    private final val WithId     = 8
    private final val WithEnding = 16
    private final val WithTag    = 32
    private final val WithZone   = 64

    private final val WithFraming = 128
  }
}

/** A piece of a file. */
private[stoplog] sealed trait Extent {
  def from: Long
  def until: Long
}

private[stoplog] object Extent {

  /** The records that start at these bytes. A record that continues after the last of these bytes is
    * included. A record that starts before the first byte is not included.
    */
  final case class Bytes(from: Long, until: Long) extends Extent {
    override def toString: String = s"bytes $from to $until"
  }

  /** The records with these numbers, for files that can only be read sequentially, such as compressed files.
    */
  final case class Records(from: Long, until: Long) extends Extent {
    override def toString: String =
      if (until == ToTheEnd) s"records from $from" else s"records $from to $until"
  }

  /** All records up to the end of the file. */
  final val ToTheEnd = Long.MaxValue
}
