// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.{BlockFormat, PartInBlocks}
import stoplog.storage.hadoop.HadoopDefaults

/** Parts written block by block, each by a format of its own, as tasks of different processes would. */
object Blocks {

  /** The settings of a session that was told nothing but these. */
  def session(settings: (String, String)*): SQLConf = {
    val conf = new SQLConf
    (("spark.sql.session.timeZone" -> "UTC") +: settings).foreach { case (key, value) =>
      conf.setConfString(key, value)
    }
    conf
  }

  def format(
      schema: StructType,
      options: Map[String, String] = Map.empty,
      session: SQLConf = Blocks.session()
  ): ParquetBulk = ParquetBulk(schema, options, session, HadoopDefaults.configuration())

  /** The copy that a process would have that knows only the text. */
  def rebuilt(format: ParquetBulk, schema: StructType): BlockFormat = {
    val copy = ParquetBulk.of(format.describe)
    copy.open(schema)
    copy
  }

  /** A whole file of these blocks. */
  def file(format: ParquetBulk, schema: StructType, blocks: Seq[Seq[InternalRow]]): Array[Byte] = {
    val part = blocks.foldLeft(PartInBlocks())(_.block(rebuilt(format, schema), _))
    part.ended(rebuilt(format, schema))
  }
}
