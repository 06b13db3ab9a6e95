// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import stoplog.source.file.BlockIndex

/** Whether, and where, the files can be cut that Spark's own readers read. */
private[read] sealed trait Cutting extends Serializable

private[read] object Cutting {
  final case class At(blocks: BlockIndex) extends Cutting

  /** @param rows that each file has, if that is known without reading it */
  final case class Never(rows: Option[Long]) extends Cutting

  def of(name: SourceFormatName.Blocks, options: Map[String, String]): Cutting = name match {
    case SourceFormatName.Parquet      => At(new ParquetBlocks(options))
    case SourceFormatName.Orc          => At(new OrcBlocks(options))
    case SourceFormatName.Avro         => At(AvroBlocks)
    case SourceFormatName.BinaryFile   => Never(rows = Some(1))
    case _: SourceFormatName.MultiLine => Never(rows = None)
  }
}
