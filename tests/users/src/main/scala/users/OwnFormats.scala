// SPDX-License-Identifier: Apache-2.0
package users

import java.io.OutputStream
import java.util.{Map => JMap}

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.compact.{CompactionInput, Compactor}
import stoplog.format._
import stoplog.format.bulk._
import stoplog.format.read._
import stoplog.sink.TwoPhaseSink
import stoplog.source.{RecordEmitter, Split, SplitSource}
import stoplog.part.BlockOutput

/** Formats to write with, rows of records, and what merges files. Nothing here does anything: a user who can compile it can write one. */
object OwnFormats {
  class OwnCompactor extends Compactor {
    override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = ???
  }

  class OwnEncoder extends Encoder {
    override def encode(row: InternalRow, out: OutputStream): Unit = ???
  }

  class OwnRowSink extends RowSink {
    override def open(options: JMap[String, String], schema: StructType): TwoPhaseSink[InternalRow] = ???
  }

  class OwnBlockOutput extends BlockOutput {
    override def position: Long = ???
    override def write(byte: Int): Unit = ???
  }

  class OwnBulkFormat extends BlockFormat {
    override def suffix: String = ???
    override def open(schema: StructType): Unit = ???
    override def describe: String = ???
    override def blockBytes: Long = ???
    override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = ???
    override def end(out: BlockOutput, directory: Array[Byte]): Unit = ???
  }

  class OwnBlockWriter extends BlockWriter {
    override def write(row: InternalRow): Unit = ???
    override def bufferedBytes: Long = ???
    override def finish(): Array[Byte] = ???
    override def close(): Unit = ???
  }

  class OwnBulkWriters extends BulkWriters

  class OwnBulkWriterFactory extends BulkWriterFactory {
    override def create(out: BlockOutput): BulkWriter = ???
  }

  class OwnBulkWriter extends BulkWriter {
    override def write(row: InternalRow): Unit = ???
    override def bufferedBytes: Long = ???
    override def finish(): Unit = ???
    override def close(): Unit = ???
  }

  class OwnRowFormat[R] extends RowFormat[R] {
    override def schema: StructType = ???
    override def emitter(wanted: StructType): RecordEmitter[R, InternalRow] = ???
  }

  class OwnSimpleRows[R] extends SimpleRows[R] {
    override def schema: StructType = ???
    override def row(record: R): Row = ???
  }

  class OwnRowSource extends RowSource {
    override def schema(options: JMap[String, String]): StructType = ???
    override def open(options: JMap[String, String], schema: StructType): SplitSource[_ <: Split, _, InternalRow] = ???
  }
}
