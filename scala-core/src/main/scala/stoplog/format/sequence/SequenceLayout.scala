// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import java.io.{ByteArrayOutputStream, OutputStream}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.io.{SequenceFile, Text}
import org.apache.hadoop.io.SequenceFile.{CompressionType, Metadata, Writer}
import org.apache.hadoop.io.compress.CompressionCodec
import org.apache.hadoop.util.ReflectionUtils
import org.apache.spark.sql.types.StructType
import stoplog.error.Errors
import stoplog.format.bulk.SyncMarker

/** What all parts of one task have in common: keys and values, and the header but for its marker. */
private[sequence] final class SequenceLayout(
    settings: SequenceSettings,
    val key: WritableColumn,
    val value: WritableColumn
) {

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

  /** Whether records wait in the writer for their block to fill. */
  def buffers: Boolean = settings.compression == CompressionType.BLOCK

  // As Hadoop writes it, ending in a marker that it drew.
  private val drawn: Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    SequenceFile
      .createWriter(configuration, common :+ Writer.stream(new FSDataOutputStream(bytes, null)): _*)
      .close()
    bytes.toByteArray
  }

  /** The header of a part of this name. */
  def header(name: String): Array[Byte] = {
    val marker = SyncMarker.of(name)
    drawn.dropRight(marker.length) ++ marker
  }

  /** Goes on in the part of this name, at `position`, from which `out` counts. It writes a marker first. */
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

  /** Refuses rows that no file can hold. */
  def check(schema: StructType): Unit = { val _ = columns(schema) }

  def apply(settings: SequenceSettings, schema: StructType): SequenceLayout = {
    val (key, value) = columns(schema)
    new SequenceLayout(settings, key, value)
  }

  private def columns(schema: StructType): (WritableColumn, WritableColumn) = schema.fields match {
    case Array(value)      => (WritableColumn.NoColumn, WritableColumn.of(value, 0))
    case Array(key, value) => (WritableColumn.of(key, 0), WritableColumn.of(value, 1))
    case _                 => throw Errors.sequenceSchema(schema.simpleString)
  }
}
