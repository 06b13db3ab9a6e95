// SPDX-License-Identifier: Apache-2.0
package own

import java.util.{Map => JMap}

import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.{OutputFile, PositionOutputStream}
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.format.bulk.{BulkWriter, BulkWriterFactory}
import stoplog.part.BlockOutput

/** Parquet by a builder of one's own, for rows of a key and a value: with a schema of Parquet's (`bulkWriter.schema`) and a
  * Bloom filter of a column (`bulkWriter.bloomFilter`).
  *
  * `ProtoParquetWriter` and `AvroParquetWriter` are other builders of the same kind: of those, only the record that is made of
  * a row differs.
  */
final class OwnParquet(parameters: JMap[String, String]) extends BulkWriterFactory {
  private val schema = parameters.getOrDefault("schema", OwnParquet.Pair)
  private val filter = parameters.getOrDefault("bloomFilter", "key")

  override def suffix: String = ".parquet"

  override def create(out: BlockOutput): BulkWriter = new BulkWriter {
    private val message = MessageTypeParser.parseMessageType(schema)
    private val records = new SimpleGroupFactory(message)
    private val writer  = ExampleParquetWriter
      .builder(new PartFile(out))
      .withType(message)
      .withBloomFilterEnabled(filter, true)
      .build()

    override def write(row: InternalRow): Unit =
      writer.write(records.newGroup().append("key", row.getString(0)).append("value", row.getString(1)))

    override def bufferedBytes: Long = (writer.getDataSize - out.position).max(0)

    /** Writes the last row group and the footer. */
    override def finish(): Unit = writer.close()

    /** What is not finished is given up: nothing more may be written. */
    override def close(): Unit = ()
  }
}

object OwnParquet {
  final val Pair = "message pair { required binary key (STRING); required binary value (STRING); }"
}

/** A part as Parquet's library sees a file. The part is stoplog's to close. */
private final class PartFile(out: BlockOutput) extends OutputFile {
  override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {
    override def getPos: Long                                              = out.position
    override def write(byte: Int): Unit                                    = out.write(byte)
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = out.write(bytes, offset, length)
    override def close(): Unit                                             = ()
  }

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)
  override def supportsBlockSize(): Boolean                                 = false
  override def defaultBlockSize(): Long                                     = 0
}
