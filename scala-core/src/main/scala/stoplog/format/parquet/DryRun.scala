// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.parquet.crypto.EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME
import org.apache.parquet.hadoop.{ParquetOutputFormat, ParquetWriter}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetWriteSupport}
import org.apache.spark.sql.internal.SQLConf

import stoplog.error.Errors
import stoplog.format.SupportedTypes
import stoplog.format.bulk.{FileMetadata, NullOutput}

/** Finds on the driver what would fail in the first task. */
private[parquet] object DryRun {

  /** @param made the format of some settings
    * @return the format of these, known to write
    */
  def apply(settings: ParquetSettings)(made: ParquetSettings => ParquetBulk): ParquetBulk = {
    SupportedTypes.check("parquet", settings.schema)(new ParquetFileFormat().supportDataType)
    val refused = problems(settings)
    if (refused.nonEmpty) throw Errors.invalidOptions(refused)
    try {
      val format = made(withoutIdleFactory(settings))
      format.open(settings.schema)
      format.end(new NullOutput, Array.empty)
      format
    } catch {
      case NonFatal(e) => throw Errors.invalidOptions(Seq(s"Parquet cannot be written: ${why(e)}."))
    }
  }

  // A factory may be there for readers only, and have no keys for a file like this.
  private def withoutIdleFactory(settings: ParquetSettings): ParquetSettings =
    if (!settings.encrypts) settings
    else {
      val conf    = settings.configuration
      val context = SQLConf.withExistingConf(settings.sqlConf)(new ParquetWriteSupport().init(conf))
      val keys    = ParquetOutputFormat.createEncryptionProperties(conf, new Path(RowGroupFile.Name), context)
      if (keys == null) settings.copy(hadoop = settings.hadoop - CRYPTO_FACTORY_CLASS_PROPERTY_NAME)
      else settings
    }

  private def why(e: Throwable): String = String.valueOf(e.getMessage).trim.stripSuffix(".")

  private def problems(settings: ParquetSettings): Seq[String] =
    settings.metadata.keys.toSeq.sorted.filter(isReserved).map { key =>
      s"${FileMetadata.Prefix}$key: Spark writes metadata of this name itself."
    } ++ WithoutSetter.filter(settings.hadoop.contains).map { key =>
      s"$key: parquet-hadoop has no way to set it on a single writer."
    } ++ keyMaterial(settings) ++ Option.when(settings.schema.isEmpty)("A Parquet file must have a column.")

  private def isReserved(key: String): Boolean =
    key.startsWith("org.apache.spark.") || key == ParquetWriter.OBJECT_MODEL_NAME_PROP

  private val WithoutSetter = Seq("parquet.page.value.count.threshold", "parquet.page.size.check.estimate")

  // It would be a file beside the part, under the part's name of the time, which is not the name it will have.
  private def keyMaterial(settings: ParquetSettings): Option[String] =
    settings.hadoop
      .get(InternalKeyMaterial)
      .filter(value => settings.encrypts && value.equalsIgnoreCase("false"))
      .map(_ => s"$InternalKeyMaterial: key material must be kept in the file.")

  private val InternalKeyMaterial = "parquet.encryption.key.material.store.internally"
}
