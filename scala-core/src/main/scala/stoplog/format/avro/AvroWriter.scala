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
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.commit.BadRow
import stoplog.format.bulk.{SyncedFormat, SyncedWriter}
import stoplog.format.compress.DetachableStream
import stoplog.part.BlockOutput

/** Avro's own writer at the end of a part.
  *
  * It begins with a header wherever it is. In a part that has one already, which an older Spark may have written in
  * other words, it is let go before anything else is written.
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
    // Each block is handed on as soon as it is full.
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

  /** Counts the bytes of the rows in the block begun: Avro's writer does not tell. */
  private final class EncodedBytes {

    private var passed: Long           = 0
    private var encoder: BinaryEncoder = _

    /** Avro's ordinary encoder into the buffer of a block, watched. */
    def into(block: OutputStream): BinaryEncoder = {
      encoder = EncoderFactory.get.binaryEncoder(new Watched(block), null)
      encoder
    }

    def count: Long = passed + encoder.bytesBuffered

    /** The block has ended. */
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

/** Spark's own writer of Avro. Since 4.0 it is in spark-sql itself; the module spark-avro only gives it its name.
  *
  * It is private to Scala code outside of Spark, though not to the JVM, and its constructors and methods are the same
  * in all lines from 4.0 to 4.3. So it is asked for by name.
  */
private[avro] object SparkAvro {

  def fileFormat(): FileFormat =
    loaded(FileFormatName).getDeclaredConstructor().newInstance().asInstanceOf[FileFormat]

  /** Turns rows of `schema` into records of `settings.schema`. */
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
    new Serializer(Method.bindTo(made).asType(ObjectToObject))
  }

  final class Serializer private[SparkAvro] (method: MethodHandle) {
    def apply(row: InternalRow): AnyRef = method.invokeExact(row: AnyRef): AnyRef
  }

  private def loaded(name: String): Class[_] = Class.forName(name, true, classOf[FileFormat].getClassLoader)

  private val FileFormatName = "org.apache.spark.sql.avro.AvroFileFormat"
  private val SerializerName = "org.apache.spark.sql.avro.AvroSerializer"
  private val ObjectToObject = MethodType.methodType(classOf[Object], classOf[Object])

  private lazy val Method =
    MethodHandles.publicLookup().findVirtual(loaded(SerializerName), "serialize", ObjectToObject)
}
