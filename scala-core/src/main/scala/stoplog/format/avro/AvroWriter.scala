// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import java.io.{FilterOutputStream, OutputStream}
import java.lang.invoke.{MethodHandle, MethodHandles, MethodType}

import org.apache.avro.Schema
import org.apache.avro.file.DataFileWriter
import org.apache.avro.generic.GenericDatumWriter
import org.apache.avro.io.{BinaryEncoder, EncoderFactory}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.format.bulk.{CalendarGap, SyncedFormat, SyncedWriter}
import stoplog.format.compress.DetachableStream
import stoplog.part.BlockOutput
import stoplog.writing.BadRow

/** Avro's writer, appending to a part.
  *
  * Avro's writer always starts with a header. If the part already has a header, the new header is discarded
  * before any other bytes are written. The existing header may differ, because an older Spark may have
  * written the part.
  */
private[avro] final class AvroWriter(
    settings: AvroSettings,
    schema: Schema,
    serializer: SparkAvro.Serializer,
    out: BlockOutput,
    name: String
) extends SyncedWriter {
  import AvroWriter._

  private val part    = new DetachableStream(out)
  private val encoded = new EncodedBytes
  private val file    = new DataFileWriter[AnyRef](new GenericDatumWriter[AnyRef])

  locally {
    file.setCodec(settings.codec.factory)
    file.setSyncInterval(settings.syncIntervalBytes)
    file.setEncoder(block => encoded.into(block))
    settings.metadata.foreach { case (key, value) => file.setMeta(key, value) }
    if (out.position > 0) part.detach()
    file.create(schema, part, SyncedFormat.marker(name))
    file.flush()
    part.attach()
  }

  override def write(row: InternalRow): Unit = {
    val before = out.position
    val datum  = BadRow.unless(serializer(row))
    try file.append(datum)
    catch { case wrapped: DataFileWriter.AppendWriteException => throw new BadRow(wrapped.getCause) }
    // Avro writes each block as soon as the block is full.
    if (out.position != before) encoded.restart()
  }

  override def bufferedBytes: Long = encoded.count

  override def sync(): Unit = {
    file.flush()
    encoded.restart()
  }

  override def close(): Unit = {
    part.detach()
    file.close()
  }
}

private object AvroWriter {

  /** Counts the bytes of the rows in the current block, because Avro's writer does not report this size. */
  private final class EncodedBytes {

    private var passed: Long           = 0
    private var encoder: BinaryEncoder = _

    /** Returns Avro's standard encoder into the buffer of a block, with a count of its bytes. */
    def into(block: OutputStream): BinaryEncoder = {
      encoder = EncoderFactory.get.binaryEncoder(new Watched(block), null)
      encoder
    }

    def count: Long = passed + encoder.bytesBuffered

    /** Called when the block has ended. */
    def restart(): Unit = passed = 0

    private final class Watched(block: OutputStream) extends FilterOutputStream(block) {
      override def write(b: Int): Unit = {
        passed += 1
        block.write(b)
      }

      override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = {
        passed += count
        block.write(bytes, offset, count)
      }
    }
  }
}

/** Spark's Avro writer. Since 4.0 the classes are in spark-sql; the module spark-avro only registers the
  * name.
  *
  * The classes are private for Scala code outside of Spark, but not for the JVM. Their constructors and
  * methods are the same in all versions from 4.0 to 4.3, so this object loads the classes by name.
  */
private[avro] object SparkAvro {

  def fileFormat(): FileFormat =
    loaded(FileFormatName).getDeclaredConstructor().newInstance().asInstanceOf[FileFormat]

  /** Returns a serializer from rows of `schema` to records of `settings.schema`. */
  def serializer(schema: StructType, avro: Schema, settings: AvroSettings): Serializer = {
    val constructor = loaded(SerializerName).getConstructor(
      classOf[DataType],
      classOf[Schema],
      classOf[Boolean],
      classOf[Boolean],
      classOf[Enumeration#Value]
    )
    val made = constructor.newInstance(
      schema,
      avro,
      Boolean.box(false), // a row itself is never null
      Boolean.box(settings.fieldMatching == AvroSettings.FieldMatching.ByPosition),
      LegacyBehaviorPolicy.withName(settings.rebaseMode)
    )
    val moved =
      if (settings.rebaseMode == LegacyBehaviorPolicy.LEGACY.toString) CalendarGap.Both
      else Set.empty[DataType]
    new Serializer(
      Method.bindTo(made).asType(ObjectToObject),
      CalendarGap.checkOf("avro", schema, moved, SQLConf.get.sessionLocalTimeZone)
    )
  }

  final class Serializer private[SparkAvro] (method: MethodHandle, gap: Option[InternalRow => Unit]) {

    /** Error: `STOPLOG_UNREADABLE_ROW`. */
    def apply(row: InternalRow): AnyRef = {
      gap.foreach(_.apply(row))
      method.invokeExact(row: AnyRef): AnyRef
    }
  }

  private def loaded(name: String): Class[_] = Class.forName(name, true, classOf[FileFormat].getClassLoader)

  private val FileFormatName = "org.apache.spark.sql.avro.AvroFileFormat"
  private val SerializerName = "org.apache.spark.sql.avro.AvroSerializer"
  private val ObjectToObject = MethodType.methodType(classOf[Object], classOf[Object])

  private lazy val Method =
    MethodHandles.publicLookup().findVirtual(loaded(SerializerName), "serialize", ObjectToObject)
}
