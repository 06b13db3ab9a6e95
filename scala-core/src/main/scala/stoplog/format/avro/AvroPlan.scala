// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import scala.util.control.NonFatal

import org.apache.avro.SchemaParseException
import org.apache.avro.file.DataFileConstants
import org.apache.avro.mapred.AvroOutputFormat
import org.apache.avro.mapreduce.AvroJob
import org.apache.hadoop.mapreduce.Job
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types.{StructField, StructType}
import stoplog.error.Errors
import stoplog.format.SupportedTypes
import stoplog.format.bulk.{FileMetadata, SessionConfiguration}

/** Lets Spark prepare a write, and keeps what it decided: all options are understood by Spark alone. */
private[avro] object AvroPlan {

  def apply(schema: StructType, options: Map[String, String], session: SparkSession): AvroSettings = {
    val spark = SparkAvro.fileFormat()
    SupportedTypes.check("avro", schema)(spark.supportDataType)
    def prepare(columns: StructType): Job = {
      val job = Job.getInstance(SessionConfiguration(session, options))
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
      codec = AvroCodec.of(prepared),
      syncIntervalBytes =
        prepared.getInt(AvroOutputFormat.SYNC_INTERVAL_KEY, DataFileConstants.DEFAULT_SYNC_INTERVAL),
      fieldMatching = fieldMatching(options),
      rebaseMode = rebaseMode,
      metadata = FileMetadata(options) ++ sparksMetadata(rebaseMode, session)
    )
  }

  /** Whether the user has an Avro schema. */
  private def isGiven(options: Map[String, String]): Boolean =
    Seq("avroSchema", "avroSchemaUrl").exists(CaseInsensitiveMap(options).contains)

  /** Says what is wrong with a column, if it is wrong by itself. */
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
          "org.apache.spark.timeZone"       -> session.conf.get("spark.sql.session.timeZone")
        )
    }

  private val Synonyms = Map("none" -> "uncompressed", "zstd" -> "zstandard")
}
