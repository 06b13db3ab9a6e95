// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.{Group, GroupWriter}
import org.apache.parquet.hadoop.{ParquetOutputFormat, ParquetReader, ParquetWriter}
import org.apache.parquet.hadoop.api.{ReadSupport, WriteSupport}
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.io.{InputFile, OutputFile}
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.MessageType

import stoplog.part.BlockOutput

/** The rows of several files, written again, so that they fill row groups. */
private[parquet] object ParquetEncoding {

  def write(files: Seq[InputFile], footer: Footer, conf: Configuration, out: BlockOutput): Unit = {
    val builder = new Builder(new WholeFile(out), footer)
    Using.resource(
      WriterProperties(conf)
        .applied[Group, Builder](builder)
        .withConf(conf)
        .withRowGroupSize(ParquetOutputFormat.getLongBlockSize(conf))
        .build()
    ) { writer =>
      files.foreach { file =>
        Using.resource(new Rows(file).build()) { rows =>
          Iterator.continually(rows.read()).takeWhile(_ != null).foreach(writer.write)
        }
      }
    }
  }

  private final class Rows(file: InputFile) extends ParquetReader.Builder[Group](file) {
    override protected def getReadSupport: ReadSupport[Group] = new GroupReadSupport
  }

  private final class Builder(file: OutputFile, footer: Footer)
      extends ParquetWriter.Builder[Group, Builder](file) {
    withExtraMetaData(footer.metadata.asJava): Unit

    override protected def self(): Builder = this

    override protected def getWriteSupport(conf: Configuration): WriteSupport[Group] =
      new Groups(footer.schema)
  }

  private final class Groups(schema: MessageType) extends WriteSupport[Group] {
    private var writer: GroupWriter = _

    override def init(conf: Configuration): WriteSupport.WriteContext =
      new WriteSupport.WriteContext(schema, java.util.Map.of())

    override def prepareForWrite(consumer: RecordConsumer): Unit = writer = new GroupWriter(consumer, schema)
    override def write(row: Group): Unit                         = writer.write(row)
  }
}
