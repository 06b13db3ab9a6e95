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

/** All that decides on the bytes of a file besides its rows, with nothing left to the session.
  *
  * @param schema             Avro's, as JSON
  * @param syncIntervalBytes  the size of a block before compression
  * @param fieldMatching      the way from columns to their fields in a schema that the user gave
  * @param rebaseMode         of dates before 1582: one of Spark's `LegacyBehaviorPolicy`
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

  /** What a header tells of all blocks behind it, as far as a session, or the file of a schema, may change it under the same
    * options. Of Spark's version readers ask no more than whether it is an old one.
    */
  def promised: String = {
    val zone = metadata.get(AvroSettings.Zone).fold("")(" " + _)
    s"codec=${codec.name} ${codec.level}; dates=$rebaseMode$zone; $fieldMatching; " +
      f"schema=${MurmurHash3.stringHash(schema)}%08x"
  }
}

private[avro] object AvroSettings {

  /** Spark prepares a write, and this keeps its decisions: Spark alone understands the options. */
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

  /** Names the problem of a column that has one by itself. */
  private def alone(field: StructField, prepare: StructType => Job): Unit =
    try {
      prepare(StructType(Array(field)))
      ()
    } catch {
      case e: SchemaParseException => throw Errors.columnName("avro", field.name, e.getMessage)
      case NonFatal(_) => throw Errors.unsupportedType("avro", field.name, field.dataType.simpleString)
    }

  // Spark's Avro has other names for two codecs than all the rest of stoplog and Spark.
  private def inSparksWords(options: Map[String, String]): Map[String, String] = options.map {
    case (name, value) if name.equalsIgnoreCase("compression") =>
      name -> Synonyms.getOrElse(value.trim.toLowerCase(java.util.Locale.ROOT), value)
    case other => other
  }

  private def fieldMatching(options: Map[String, String]): FieldMatching =
    if (CaseInsensitiveMap(options).get("positionalFieldMatching").exists(_.toBoolean))
      FieldMatching.ByPosition
    else FieldMatching.ByName

  // Readers need the last two to give old dates back as they were.
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

  /** The way from columns to their fields in Avro's schema. */
  sealed trait FieldMatching extends Product with Serializable
  object FieldMatching {
    case object ByName     extends FieldMatching
    case object ByPosition extends FieldMatching
  }

  /** The codec of a file's blocks.
    *
    * @param name       as Avro writes it into the header
    * @param level      of deflate, xz and zstandard; the others have none
    * @param bufferPool whether zstandard keeps its buffers for reuse
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

    /** The codec that Spark set for Avro's output format, which would read it from there in each task. */
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
