// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.Job
import org.apache.parquet.crypto.EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME
import org.apache.parquet.hadoop.{ParquetOutputFormat, ParquetWriter}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils, ParquetWriteSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.error.{Errors, Redaction}
import stoplog.format.bulk.{BulkFormatName, FormatConfiguration, FormatDescription, MetadataOptions}

/** All settings that determine the bytes of a file besides its rows. Independent of the session.
  *
  * @param hadoop   the settings found by Spark's writer in its Hadoop configuration
  * @param session  the settings found in the session: rebase modes, the time zone
  * @param metadata key-value entries in addition to Spark's
  */
private[parquet] final case class ParquetSettings(
    schema: StructType,
    hadoop: Map[String, String],
    session: Map[String, String],
    metadata: Map[String, String]
) {
  import ParquetSettings._

  def encrypts: Boolean = hadoop.contains(CRYPTO_FACTORY_CLASS_PROPERTY_NAME)

  def configuration: Configuration = {
    // With encryption, clients of key servers may read any Hadoop setting. Otherwise only carried settings
    // are read.
    val conf = FormatConfiguration.configuration(hadoop, new Configuration(encrypts))
    ParquetWriteSupport.setSchema(schema, conf)
    conf
  }

  def sqlConf: SQLConf = {
    val conf = new SQLConf
    session.foreach { case (key, value) => conf.setConfString(key, value) }
    conf
  }

  def withSecrets(secrets: Map[String, String]): ParquetSettings = copy(hadoop = hadoop ++ secrets)

  // A factory may only serve readers, and have no keys for a file like this.
  def withoutIdleFactory: ParquetSettings =
    if (!encrypts) this
    else {
      val conf    = configuration
      val context = SQLConf.withExistingConf(sqlConf)(new ParquetWriteSupport().init(conf))
      val keys    = ParquetOutputFormat.createEncryptionProperties(conf, new Path(PartFile.Name), context)
      if (keys == null) copy(hadoop = hadoop - CRYPTO_FACTORY_CLASS_PROPERTY_NAME) else this
    }

  def describe: String = {
    // A setting of a column, such as parquet.bloom.filter.enabled#token, is no secret.
    val open = hadoop.filterNot { case (key, _) => Redaction.isSecret(key.takeWhile(_ != '#')) }
    FormatDescription.write("parquet", schema)("hadoop" -> open, "session" -> session, "metadata" -> metadata)
  }

  def problems: Seq[String] =
    MetadataOptions.problems(metadata)(_ == ParquetWriter.OBJECT_MODEL_NAME_PROP) ++
      WithoutSetter.filter(hadoop.contains).map { key =>
        s"$key: parquet-hadoop has no way to set it on a single writer."
      } ++ keyMaterial ++ Option.when(schema.isEmpty)("A Parquet file must have a column.")

  // External key material would be a separate file with the part's temporary name, which is not the final
  // name.
  private def keyMaterial: Option[String] =
    hadoop
      .get(InternalKeyMaterial)
      .filter(value => encrypts && value.equalsIgnoreCase("false"))
      .map(_ => s"$InternalKeyMaterial: key material must be kept in the file.")
}

private[parquet] object ParquetSettings {

  def of(described: String): ParquetSettings = {
    val read = FormatDescription.read("parquet", described)
    ParquetSettings(read.schema, read.texts("hadoop"), read.texts("session"), read.texts("metadata"))
  }

  /** Returns the settings of Spark's Parquet sink, from a session on the driver. */
  def of(
      schema: StructType,
      options: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): ParquetSettings = {
    val (metadata, others) = MetadataOptions.split(options)
    val dotted             = others.filter { case (key, _) => key.contains('.') }
    val own                = ofWrite(session, others)
    // The same order as in Spark, where options of the writer override the session's settings.
    val conf = FormatConfiguration.configuration(
      own.getAllConfs.filter(setting => isCarried(setting._1)) ++ dotted,
      new Configuration(hadoop)
    )
    // Uses Spark's own preparation, because each Spark version sets the settings of its write support.
    val job = Job.getInstance(conf)
    ParquetUtils.prepareWrite(own, job, schema, new ParquetOptions(others, own))
    ParquetSettings(
      schema,
      dotted ++ (FormatConfiguration.some(job.getConfiguration)(
        isCarried
      ) - ParquetWriteSupport.SPARK_ROW_SCHEMA),
      sessionSettings(own),
      metadata
    )
  }

  // Spark 4.2 reads these settings from the options of a write; Spark 4.0 and 4.1 only from the session.
  private def ofWrite(session: SQLConf, options: Map[String, String]): SQLConf = {
    val own = session.clone()
    for ((key, value) <- options if BulkFormatName.Parquet.options.contains(key))
      try own.setConfString(key, value)
      catch {
        case e: IllegalArgumentException =>
          throw Errors.invalidOptions(Seq(s"$key: ${String.valueOf(e.getMessage).trim}"))
      }
    own
  }

  private def isCarried(key: String): Boolean = Carried.exists(key.startsWith)

  // The codecs read their levels and buffer sizes from the last three.
  private val Carried =
    Seq("parquet.", "spark.sql.parquet.", "org.apache.spark.", "zlib.", "io.compression.", "compression.")

  private def sessionSettings(session: SQLConf): Map[String, String] =
    session.getAllConfs.filter { case (key, _) => OfSession.exists(key.startsWith) } ++
      Fixed.map(key => key -> session.getConfString(key))

  private val OfSession = Seq("spark.sql.parquet.", "spark.sql.legacy.parquet.", "spark.sql.types.")

  // Stored even if unchanged, because the defaults may differ between Spark versions.
  private val Fixed = Seq(
    SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key,
    SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key,
    SQLConf.SESSION_LOCAL_TIMEZONE.key
  )

  private val WithoutSetter = Seq("parquet.page.value.count.threshold", "parquet.page.size.check.estimate")

  private val InternalKeyMaterial = "parquet.encryption.key.material.store.internally"
}
