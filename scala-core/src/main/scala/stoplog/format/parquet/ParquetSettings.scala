// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.crypto.EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.error.Redaction
import stoplog.format.bulk.FormatDescription

/** All that decides on the bytes of a file besides its rows, in a form that outlives the session.
  *
  * @param hadoop
  *   what Spark's writer found in its Hadoop configuration
  * @param session
  *   what it found in the session's: modes of rebasing, the time zone
  * @param metadata
  *   key-value entries beyond Spark's own
  */
private[parquet] final case class ParquetSettings(
    schema: StructType,
    hadoop: Map[String, String],
    session: Map[String, String],
    metadata: Map[String, String]
) {

  def encrypts: Boolean = hadoop.contains(CRYPTO_FACTORY_CLASS_PROPERTY_NAME)

  def configuration: Configuration = {
    // Clients of key servers may look for any setting of Hadoop; nobody else looks beyond those carried.
    val conf = new Configuration(encrypts)
    hadoop.foreach { case (key, value) => conf.set(key, value) }
    ParquetWriteSupport.setSchema(schema, conf)
    conf
  }

  def sqlConf: SQLConf = {
    val conf = new SQLConf
    session.foreach { case (key, value) => conf.setConfString(key, value) }
    conf
  }

  def withSecrets(secrets: Map[String, String]): ParquetSettings = copy(hadoop = hadoop ++ secrets)

  def describe: String = {
    val open = hadoop.filterNot { case (key, _) => Redaction.isSecret(key) }
    FormatDescription.write("parquet", schema)("hadoop" -> open, "session" -> session, "metadata" -> metadata)
  }
}

private[parquet] object ParquetSettings {

  def of(described: String): ParquetSettings = {
    val read = FormatDescription.read("parquet", described)
    ParquetSettings(read.schema, read.texts("hadoop"), read.texts("session"), read.texts("metadata"))
  }
}
