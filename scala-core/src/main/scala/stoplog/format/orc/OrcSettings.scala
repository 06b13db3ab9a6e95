// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.hadoop.conf.Configuration
import org.apache.orc.OrcConf
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.FormatDescription

/** All that decides on the bytes of a file besides its rows, in a form that outlives the session.
  *
  * @param orc
  *   what Spark's writer found in its Hadoop configuration for orc-core
  * @param batchRows
  *   how many rows are handed to orc-core at once
  * @param metadata
  *   user metadata beyond Spark's own
  */
private[orc] final case class OrcSettings(
    schema: StructType,
    orc: Map[String, String],
    batchRows: Int,
    metadata: Map[String, String]
) {

  /** As orc-core names it: `ZSTD`, `NONE`. */
  def compression: String = OrcConf.COMPRESS.getString(configuration)

  def configuration: Configuration = {
    val conf = new Configuration(false)
    orc.foreach { case (key, value) => conf.set(key, value) }
    conf
  }

  def describe: String =
    FormatDescription.write("orc", schema, "batchRows" -> batchRows)("orc" -> orc, "metadata" -> metadata)
}

private[orc] object OrcSettings {

  def of(described: String): OrcSettings = {
    val read = FormatDescription.read("orc", described)
    // Storage may say no more than a session can, which refuses to encrypt: key providers are what settings name.
    val orc = read.texts("orc").filter(setting => SessionSettings.isOrc(setting._1))
    OrcSettings(
      read.schema,
      orc - OrcConf.ENCRYPTION.getAttribute,
      read.number("batchRows"),
      read.texts("metadata")
    )
  }
}
