// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{BufferedInputStream, ByteArrayInputStream, ByteArrayOutputStream, IOException}
import java.io.{InputStream, SequenceInputStream}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.avro.file.{DataFileStream, DataFileWriter}
import org.apache.avro.generic.{GenericDatumReader, GenericDatumWriter, GenericRecord}
import org.apache.avro.io.EncoderFactory
import org.apache.commons.io.IOUtils

import stoplog.format.read.AvroBlocks.{Header, MarkerBytes, Walked}
import stoplog.format.read.BlockIndexes.{MendedUnit, Mending}
import stoplog.source.file.FileSplit
import stoplog.storage.SourceFiles

/** Copies each unit of a damaged Avro file to a file of its own.
  *
  * Java's reader returns no row of a block whose next marker is damaged or missing, although the block is
  * intact. The next block is lost as well, because a reader finds blocks by their markers. A truncated block
  * can hold whole records, too. Before the end of a unit, the reader already reads the next block, so damage
  * there would end the unit as well.
  *
  * A unit has the blocks from a marker to the next intact marker. The length of a block leads to the next
  * block if exactly the stated number of records fills the block.
  */
private[read] object AvroUnits extends Mending {

  /** Returns `None` for a unit without readable rows. */
  override def of(files: SourceFiles, unit: FileSplit): Option[MendedUnit] = {
    val file   = unit.file
    val header = Header.of(files, file)
    val ends   = header.markers(files, file, unit.extent.from.max(header.end - MarkerBytes)) { found =>
      found.nextOption().filter(_ < unit.extent.until).map(at => at + MarkerBytes -> found.nextOption())
    }
    ends.flatMap { case (from, marker) =>
      val bytes  = marker.getOrElse(file.bytes) - from
      def opened = new BufferedInputStream(files.open(file, from))
      if (bytes == 0) None
      else if (marker.isDefined && Using.resource(opened)(isOneBlock(_, bytes)))
        Using.resource(opened)(in => Some(copiedAsIs(header, in, bytes)))
      else Using.resource(opened)(in => copied(header, in, bytes))
    }
  }

  private def isOneBlock(in: InputStream, bytes: Long): Boolean =
    try {
      val walk = new Walked(in)
      walk.number()
      val length = walk.number()
      length >= 0 && walk.position + length == bytes
    } catch { case _: IOException => false }

  /** Damaged records fail in the reader of the copy, after the records before. */
  private def copiedAsIs(header: Header, in: InputStream, bytes: Long): MendedUnit = {
    val unit = MendedUnit(Files.createTempFile("stoplog-", ".avro"), None)
    try
      Using.resource(Files.newOutputStream(unit.copy)) { out =>
        out.write(header.bytes)
        IOUtils.copyLarge(in, out, 0, bytes)
        out.write(header.marker)
      }
    catch {
      case NonFatal(e) =>
        unit.close()
        throw e
    }
    unit
  }

  /** Returns `None` if no row can be read. */
  private def copied(header: Header, in: InputStream, bytes: Long): Option[MendedUnit] = {
    val copy = Files.createTempFile("stoplog-", ".avro")
    var rows = 0L
    try {
      val failure = Using.resource(writer(header, copy)) { writer =>
        try {
          val walk = new Walked(in)
          while (walk.position < bytes)
            for (record <- next(header, walk, bytes)) {
              writer.append(record)
              rows += 1
            }
          None
        } catch { case NonFatal(e) => Some(new IOException(e.getMessage, e)) }
      }
      Option.when(rows > 0)(MendedUnit(copy, failure))
    } finally if (rows == 0) Files.deleteIfExists(copy): Unit
  }

  /** Returns the records of the next block. The iterator fails if other bytes than the records are left. */
  private def next(header: Header, walk: Walked, bytes: Long): Iterator[GenericRecord] = {
    val count  = walk.number()
    val length = walk.number()
    if (count <= 0 || length < 0) throw new IOException(s"a block has $count records in $length bytes")
    val data = walk.take(length.min(bytes - walk.position))
    walk.skip(MarkerBytes.min(bytes - walk.position))
    val frame   = Seq(header.bytes, number(count), number(data.length.toLong), data, header.marker)
    val streams = frame.map(new ByteArrayInputStream(_): InputStream)
    opened(new SequenceInputStream(streams.iterator.asJavaEnumeration)).iterator().asScala
  }

  private def opened(in: InputStream) = new DataFileStream(in, new GenericDatumReader[GenericRecord])

  /** Spark reads from the metadata of a file how dates before 1582 were written. */
  private def writer(header: Header, copy: Path): DataFileWriter[GenericRecord] =
    Using.resource(opened(new ByteArrayInputStream(header.bytes))) { head =>
      val made = new DataFileWriter(new GenericDatumWriter[GenericRecord])
      for (key <- head.getMetaKeys.asScala if !DataFileWriter.isReservedMeta(key))
        made.setMeta(key, head.getMeta(key))
      made.create(head.getSchema, copy.toFile)
    }

  private def number(value: Long): Array[Byte] = {
    val out     = new ByteArrayOutputStream
    val encoder = EncoderFactory.get().directBinaryEncoder(out, null)
    encoder.writeLong(value)
    encoder.flush()
    out.toByteArray
  }
}
