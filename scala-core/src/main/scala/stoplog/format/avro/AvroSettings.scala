// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import scala.util.control.NonFatal
import scala.util.hashing.MurmurHash3

import org.apache.avro.SchemaParseException
import org.apache.avro.file.{CodecFactory, DataFileConstants}
import org.apache.avro.mapred.AvroOutputFormat
import org.apache.avro.mapreduce.AvroJob
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapreduce.Job
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types.{StructField, StructType}

import stoplog.error.Errors
import stoplog.format.SupportedTypes
import stoplog.format.bulk.{FormatConfiguration, MetadataOptions}

/** All settings that determine the bytes of a file besides its rows. Independent of the session.
  *
  * @param schema             the Avro schema, as JSON
  * @param syncIntervalBytes  the size of a block before compression
  * @param fieldMatching      the mapping of columns to fields in a schema given by the user
  * @param rebaseMode         for dates before 1582: the name of a Spark `LegacyBehaviorPolicy`
  * @param metadata           of the header, by key
  */
private[avro] final case class AvroSettings(
    schema: String,
    codec: AvroSettings.Codec,
    syncIntervalBytes: Int,
    fieldMatching: AvroSettings.FieldMatching,
    rebaseMode: String,
    metadata: Map[String, String]
) {

  /** Returns the properties of all blocks that are fixed by the header. Only includes properties that a
    * session or a schema file can change under the same options. Omits Spark's version, because readers only
    * check whether the version is old.
    */
  def promised: String = {
    val zone = metadata.get(AvroSettings.Zone).fold("")(" " + _)
    s"codec=${codec.name} ${codec.level}; dates=$rebaseMode$zone; $fieldMatching; " +
      f"schema=${MurmurHash3.stringHash(schema)}%08x"
  }
}

private[avro] object AvroSettings {

  /** Lets Spark prepare a write, and stores the resulting settings: only Spark interprets the options. */
  def of(schema: StructType, options: Map[String, String], session: SparkSession): AvroSettings = {
    val spark = SparkAvro.fileFormat()
    SupportedTypes.check("avro", schema)(spark.supportDataType)
    def prepare(columns: StructType): Job = {
      val job = Job.getInstance(FormatConfiguration.of(session, options))
      session.withActive(spark.prepareWrite(session, job, inSparksWords(options), columns))
      job
    }
    val job =
      try prepare(schema)
      catch {
        case NonFatal(e) =>
          if (!isGiven(options)) schema.foreach(field => alone(field, prepare))
          throw e
      }
    val prepared   = job.getConfiguration
    val rebaseMode = session.conf.get("spark.sql.avro.datetimeRebaseModeInWrite")
    AvroSettings(
      schema = AvroJob.getOutputKeySchema(prepared).toString,
      codec = Codec.of(prepared),
      syncIntervalBytes =
        prepared.getInt(AvroOutputFormat.SYNC_INTERVAL_KEY, DataFileConstants.DEFAULT_SYNC_INTERVAL),
      fieldMatching = fieldMatching(options),
      rebaseMode = rebaseMode,
      metadata = MetadataOptions.split(options)._1 ++ sparksMetadata(rebaseMode, session)
    )
  }

  /** Whether the user gave an Avro schema. */
  private def isGiven(options: Map[String, String]): Boolean =
    Seq("avroSchema", "avroSchemaUrl").exists(CaseInsensitiveMap(options).contains)

  /** Throws an error that names the column, if this column causes a problem by itself. */
  private def alone(field: StructField, prepare: StructType => Job): Unit =
    try {
      prepare(StructType(Array(field)))
      ()
    } catch {
      case e: SchemaParseException => throw Errors.columnName("avro", field.name, e.getMessage)
      case NonFatal(_) => throw Errors.unsupportedType("avro", field.name, field.dataType.simpleString)
    }

  // Spark's Avro writer has different names for two codecs than all other writers of stoplog and Spark.
  private def inSparksWords(options: Map[String, String]): Map[String, String] = options.map {
    case (name, value) if name.equalsIgnoreCase("compression") =>
      name -> Synonyms.getOrElse(value.trim.toLowerCase(java.util.Locale.ROOT), value)
    case other => other
  }

  private def fieldMatching(options: Map[String, String]): FieldMatching =
    if (CaseInsensitiveMap(options).get("positionalFieldMatching").exists(_.toBoolean))
      FieldMatching.ByPosition
    else FieldMatching.ByName

  // Readers need the last two entries to restore old dates.
  private def sparksMetadata(rebaseMode: String, session: SparkSession): Map[String, String] =
    Map("org.apache.spark.version" -> SPARK_VERSION.takeWhile(c => c.isDigit || c == '.')) ++ {
      if (rebaseMode != LegacyBehaviorPolicy.LEGACY.toString) Map.empty
      else
        Map(
          "org.apache.spark.legacyDateTime" -> "",
          Zone                              -> session.conf.get("spark.sql.session.timeZone")
        )
    }

  private val Zone = "org.apache.spark.timeZone"

  private val Synonyms = Map("none" -> "uncompressed", "zstd" -> "zstandard")

  /** The mapping of columns to fields in the Avro schema. */
  sealed trait FieldMatching extends Product with Serializable
  object FieldMatching {
    case object ByName     extends FieldMatching
    case object ByPosition extends FieldMatching
  }

  /** The codec of a file's blocks.
    *
    * @param name       as Avro writes the name into the header
    * @param level      of deflate, xz and zstandard; unused by all other codecs
    * @param bufferPool whether zstandard reuses buffers
    */
  final case class Codec(name: String, level: Int, bufferPool: Boolean) {

    def factory: CodecFactory = name match {
      case "null"      => CodecFactory.nullCodec()
      case "deflate"   => CodecFactory.deflateCodec(level)
      case "xz"        => CodecFactory.xzCodec(level)
      case "zstandard" => CodecFactory.zstandardCodec(level, false, bufferPool)
      case other       => CodecFactory.fromString(other)
    }
  }

  object Codec {

    /** Returns the codec that Spark set for Avro's output format, where Spark's own tasks read the codec. */
    def of(job: Configuration): Codec =
      if (!job.getBoolean("mapreduce.output.fileoutputformat.compress", false)) Codec("null", 0, false)
      else
        job.get("avro.output.codec") match {
          case "deflate"   => leveled("deflate", job.getInt(AvroOutputFormat.DEFLATE_LEVEL_KEY, -1))
          case "xz"        => leveled("xz", job.getInt(AvroOutputFormat.XZ_LEVEL_KEY, 6))
          case "zstandard" =>
            Codec(
              "zstandard",
              job.getInt(AvroOutputFormat.ZSTD_LEVEL_KEY, 3),
              job.getBoolean(AvroOutputFormat.ZSTD_BUFFERPOOL_KEY, false)
            )
          case other => leveled(other, 0)
        }

    private def leveled(name: String, level: Int): Codec = Codec(name, level, bufferPool = false)
  }
}
