// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.io._
import java.security.MessageDigest
import java.util.zip.{CRC32C, CheckedOutputStream, Deflater, DeflaterOutputStream, InflaterInputStream}

/** The splits of one micro-batch, and the enumerator's state after these splits.
  *
  * @param first    the number of the first split, counted from the start of the source
  * @param snapshot of the enumerator, after it had returned these splits
  * @param previous the predecessor of this record; `None` for the first record of a log
  */
private[source] final case class SplitRecord[S](
    first: Long,
    splits: Vector[S],
    snapshot: Array[Byte],
    previous: Option[SplitRecord.Id]
) {

  /** The number of the split after the last split. */
  def end: Long = first + splits.size
}

/** Encodes records as bytes: a head of fixed length, the compressed body, and a checksum of both. */
private[source] object SplitRecord {

  /** The version of all written records. */
  val Version: Int = 1

  /** The identity of a record: the SHA-256 of its bytes. Two drivers that planned the same splits have
    * written records with the same identity.
    */
  final case class Id(sha256: Vector[Byte])

  def idOf(bytes: Array[Byte]): Id = Id(MessageDigest.getInstance("SHA-256").digest(bytes).toVector)

  /** The reason why the bytes are not a usable record. */
  sealed trait Problem
  final case class Torn(why: String)                    extends Problem
  final case class TooNew(version: Int, supported: Int) extends Problem

  def encode[S](record: SplitRecord[S], splits: VersionedSerializer[S]): Array[Byte] = {
    val to      = new ByteArrayOutputStream()
    val crc     = new CRC32C()
    val checked = new CheckedOutputStream(to, crc)
    val head    = new DataOutputStream(checked)
    head.writeInt(Magic)
    head.writeInt(Version)
    head.writeLong(record.first)
    head.writeInt(record.splits.size)
    head.writeInt(splits.version)
    head.flush()
    writeBody(record, splits, checked)
    new DataOutputStream(to).writeLong(crc.getValue)
    to.toByteArray
  }

  def read[S](bytes: Array[Byte], splits: VersionedSerializer[S]): Either[Problem, SplitRecord[S]] =
    headOf(bytes).flatMap { head =>
      if (head.splitVersion > splits.version) Left(TooNew(head.splitVersion, splits.version))
      else
        try Right(readBody(bytes, head, splits))
        catch { case e: IOException => Left(Torn(s"its body cannot be read: $e")) }
    }

  private final case class Head(first: Long, count: Int, splitVersion: Int)

  private def writeBody[S](
      record: SplitRecord[S],
      splits: VersionedSerializer[S],
      to: OutputStream
  ): Unit = {
    val deflater   = new Deflater(Deflater.BEST_SPEED)
    val compressed = new DeflaterOutputStream(to, deflater, BufferBytes)
    try {
      val body     = new DataOutputStream(new BufferedOutputStream(compressed, BufferBytes))
      val previous = record.previous.fold(Array.emptyByteArray)(_.sha256.toArray)
      body.writeByte(previous.length)
      body.write(previous)
      body.writeInt(record.snapshot.length)
      body.write(record.snapshot)
      record.splits.foreach(splits.write(_, body))
      body.flush()
      compressed.finish()
    } finally deflater.end()
  }

  private def headOf(bytes: Array[Byte]): Either[Problem, Head] =
    if (bytes.length < HeadBytes + SumBytes) Left(Torn("it ends in the middle"))
    else {
      val in      = new DataInputStream(new ByteArrayInputStream(bytes))
      val magic   = in.readInt()
      val version = in.readInt()
      if (magic != Magic) Left(Torn("it is not a record of splits"))
      else if (version > Version) Left(TooNew(version, Version))
      else if (!isWhole(bytes)) Left(Torn("its checksum does not match"))
      else Right(Head(in.readLong(), in.readInt(), in.readInt()))
    }

  private def isWhole(bytes: Array[Byte]): Boolean = {
    val crc = new CRC32C()
    crc.update(bytes, 0, bytes.length - SumBytes)
    val written =
      new DataInputStream(new ByteArrayInputStream(bytes, bytes.length - SumBytes, SumBytes)).readLong()
    written == crc.getValue
  }

  private def readBody[S](bytes: Array[Byte], head: Head, splits: VersionedSerializer[S]): SplitRecord[S] = {
    val raw      = new ByteArrayInputStream(bytes, HeadBytes, bytes.length - HeadBytes - SumBytes)
    val inflater = new InflaterInputStream(raw)
    try {
      val body     = new DataInputStream(new BufferedInputStream(inflater, BufferBytes))
      val previous = bytesOf(body, body.readUnsignedByte())
      val snapshot = bytesOf(body, body.readInt())
      val read     = Vector.fill(head.count)(splits.read(head.splitVersion, body))
      SplitRecord(head.first, read, snapshot, Option.when(previous.nonEmpty)(Id(previous.toVector)))
    } finally inflater.close()
  }

  private def bytesOf(in: DataInputStream, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    in.readFully(bytes)
    bytes
  }

  private final val Magic       = 0x534c5352 // SLSR
  private final val HeadBytes   = 24
  private final val SumBytes    = 8
  private final val BufferBytes = 32 * 1024
}
