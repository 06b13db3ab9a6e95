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

/** All that decides on the bytes of a file besides its rows, in a form that outlives the session.
  *
  * @param hadoop   the settings that Spark's writer found in its Hadoop configuration
  * @param session  the settings that it found in the session's: modes of rebasing, the time zone
  * @param metadata key-value entries beyond Spark's own
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
    // Clients of key servers may look for any setting of Hadoop; all others look for those carried alone.
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

  // A factory may be there for readers only, and have no keys for a file like this.
  def withoutIdleFactory: ParquetSettings =
    if (!encrypts) this
    else {
      val conf    = configuration
      val context = SQLConf.withExistingConf(sqlConf)(new ParquetWriteSupport().init(conf))
      val keys    = ParquetOutputFormat.createEncryptionProperties(conf, new Path(PartFile.Name), context)
      if (keys == null) copy(hadoop = hadoop - CRYPTO_FACTORY_CLASS_PROPERTY_NAME) else this
    }

  def describe: String = {
    val open = hadoop.filterNot { case (key, _) => Redaction.isSecret(key) }
    FormatDescription.write("parquet", schema)("hadoop" -> open, "session" -> session, "metadata" -> metadata)
  }

  def problems: Seq[String] =
    MetadataOptions.problems(metadata)(_ == ParquetWriter.OBJECT_MODEL_NAME_PROP) ++
      WithoutSetter.filter(hadoop.contains).map { key =>
        s"$key: parquet-hadoop has no way to set it on a single writer."
      } ++ keyMaterial ++ Option.when(schema.isEmpty)("A Parquet file must have a column.")

  // It would be a file beside the part, under the part's name of the time, which is not the name it will have.
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

  /** The settings of Spark's Parquet sink, taken from a session on the driver. */
  def of(
      schema: StructType,
      options: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): ParquetSettings = {
    val (metadata, others) = MetadataOptions.split(options)
    val dotted             = others.filter { case (key, _) => key.contains('.') }
    val own                = ofWrite(session, others)
    // As a session's settings and a writer's options reach Hadoop in Spark.
    val conf = FormatConfiguration.configuration(
      own.getAllConfs.filter(setting => isCarried(setting._1)) ++ dotted,
      new Configuration(hadoop)
    )
    // Spark's own preparation, so that each line of it sets what that line's write support asks for.
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

  // Spark 4.2 takes these from a write's options; earlier ones pass over them, and go by the session.
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

  // The codecs look for their levels and buffers at the last three.
  private val Carried =
    Seq("parquet.", "spark.sql.parquet.", "org.apache.spark.", "zlib.", "io.compression.", "compression.")

  private def sessionSettings(session: SQLConf): Map[String, String] =
    session.getAllConfs.filter { case (key, _) => OfSession.exists(key.startsWith) } ++
      Fixed.map(key => key -> session.getConfString(key))

  private val OfSession = Seq("spark.sql.parquet.", "spark.sql.legacy.parquet.", "spark.sql.types.")

  // Named even where they are the defaults, which another line of Spark may have changed.
  private val Fixed = Seq(
    SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key,
    SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key,
    SQLConf.SESSION_LOCAL_TIMEZONE.key
  )

  private val WithoutSetter = Seq("parquet.page.value.count.threshold", "parquet.page.size.check.estimate")

  private val InternalKeyMaterial = "parquet.encryption.key.material.store.internally"
}
