// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import java.io.{ByteArrayOutputStream, OutputStream}
import java.net.URI

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.io.{SequenceFile, Text}
import org.apache.hadoop.io.SequenceFile.{CompressionType, Metadata, Writer}
import org.apache.hadoop.io.compress.CompressionCodec
import org.apache.hadoop.util.{Progressable, ReflectionUtils}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.format.bulk.{SyncedFormat, SyncedWriter}
import stoplog.format.compress.DetachableStream
import stoplog.part.BlockOutput
import stoplog.writing.BadRow

/** Hadoop's SequenceFile writer, appending to a part. */
private[sequence] final class SequenceWriter(layout: SequenceLayout, out: BlockOutput, name: String)
    extends SyncedWriter {

  private val part     = new DetachableStream(out)
  private var buffered = 0L

  // A resuming Hadoop writer starts with a marker. Hadoop's reader treats two markers without a record in
  // between as the end of the file. So the writer is created with the first record.
  private var file: Option[Writer] = None

  if (out.position == 0) out.write(layout.header(name))

  override def write(row: InternalRow): Unit = {
    val key    = BadRow.unless(layout.key(row))
    val value  = BadRow.unless(layout.value(row))
    val writer = file.getOrElse(begin())
    val before = out.position
    writer.append(key, value)
    if (layout.buffers)
      buffered = if (out.position == before) buffered + layout.key.sizeBytes + layout.value.sizeBytes else 0
  }

  override def bufferedBytes: Long = buffered

  override def sync(): Unit =
    if (layout.buffers) {
      file.foreach(_.sync())
      buffered = 0
    }

  override def close(): Unit = {
    part.detach()
    file.foreach(_.close())
  }

  private def begin(): Writer = {
    val made = layout.append(name, part, out.position)
    file = Some(made)
    made
  }
}

/** The shared state of all parts of one task: keys and values, and the header except for its marker. */
private[sequence] final class SequenceLayout(
    settings: SequenceFormat.SequenceSettings,
    val key: WritableColumn,
    val value: WritableColumn
) {
  import SequenceLayout.HeaderFile

  private val configuration = settings.configuration

  private val common: Seq[Writer.Option] = Seq(
    Writer.keyClass(key.writableClass),
    Writer.valueClass(value.writableClass),
    Writer.metadata(new Metadata(new java.util.TreeMap(settings.metadata.map { case (key, value) =>
      new Text(key) -> new Text(value)
    }.asJava))),
    settings.compression match {
      case CompressionType.NONE => Writer.compression(CompressionType.NONE)
      case kind                 => Writer.compression(kind, codec)
    }
  )

  /** Whether records wait in the writer until their block is full. */
  def buffers: Boolean = settings.compression == CompressionType.BLOCK

  // The header as written by Hadoop, ending in a random marker.
  private val drawn: Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    SequenceFile
      .createWriter(configuration, common :+ Writer.stream(new FSDataOutputStream(bytes, null)): _*)
      .close()
    bytes.toByteArray
  }

  /** Returns the header of the part with this name. */
  def header(name: String): Array[Byte] = {
    val marker = SyncedFormat.marker(name)
    drawn.dropRight(marker.length) ++ marker
  }

  /** Resumes the part with this name at `position`, the start position of `out`. Writes a marker first. */
  def append(name: String, out: OutputStream, position: Long): Writer = {
    val file = new HeaderFile(header(name), new FSDataOutputStream(out, null, position))
    SequenceFile.createWriter(
      configuration,
      common ++ Seq(Writer.file(file), Writer.appendIfExists(true)): _*
    )
  }

  private def codec: CompressionCodec =
    ReflectionUtils
      .newInstance(configuration.getClassByName(settings.codec), configuration)
      .asInstanceOf[CompressionCodec]
}

private[sequence] object SequenceLayout {

  /** Rejects columns that no SequenceFile can store. */
  def check(schema: StructType): Unit = { val _ = columns(schema) }

  def apply(settings: SequenceFormat.SequenceSettings, schema: StructType): SequenceLayout = {
    val (key, value) = columns(schema)
    new SequenceLayout(settings, key, value)
  }

  private def columns(schema: StructType): (WritableColumn, WritableColumn) = schema.fields match {
    case Array(value)      => (WritableColumn.NoColumn, WritableColumn.of(value, 0))
    case Array(key, value) => (WritableColumn.of(key, 0), WritableColumn.of(value, 1))
    case _                 => throw Errors.sequenceSchema(schema.simpleString)
  }

  /** A file with a readable header only, and a stream for appending.
    *
    * Hadoop's writer reads only the header of a file before appending, and a part provides only this: stores
    * do not support reads, and a part has no Hadoop file system.
    */
  final class HeaderFile(header: Array[Byte], out: FSDataOutputStream) extends Path("/part") {

    override def getFileSystem(conf: Configuration): FileSystem =
      new HeaderFile.HeaderFileSystem(header, out, conf)
  }

  private object HeaderFile {

    private final class HeaderFileSystem(
        header: Array[Byte],
        out: FSDataOutputStream,
        configuration: Configuration
    ) extends FileSystem {

      setConf(configuration)

      override def getUri: URI = URI.create("header:///")

      override def getFileStatus(path: Path): FileStatus =
        new FileStatus(header.length.toLong, false, 1, header.length.toLong, 0, path)

      override def open(path: Path, bufferSize: Int): FSDataInputStream =
        new FSDataInputStream(new HeaderInput(header))

      override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream = out

      override def create(
          path: Path,
          permission: FsPermission,
          overwrite: Boolean,
          bufferSize: Int,
          replication: Short,
          blockSize: Long,
          progress: Progressable
      ): FSDataOutputStream = refuse()

      override def rename(from: Path, to: Path): Boolean                 = refuse()
      override def delete(path: Path, recursive: Boolean): Boolean       = refuse()
      override def listStatus(path: Path): Array[FileStatus]             = refuse()
      override def mkdirs(path: Path, permission: FsPermission): Boolean = refuse()
      override def setWorkingDirectory(path: Path): Unit                 = refuse()
      override def getWorkingDirectory: Path                             = new Path("/")

      private def refuse(): Nothing = throw new UnsupportedOperationException("a header can only be read")
    }

    private final class HeaderInput(header: Array[Byte]) extends FSInputStream {

      private var at = 0

      override def getPos: Long = at.toLong

      override def seek(position: Long): Unit = at = math.toIntExact(position)

      override def seekToNewSource(position: Long): Boolean = false

      override def read(): Int =
        if (at == header.length) -1
        else {
          at += 1
          header(at - 1) & 0xff
        }
    }
  }
}
