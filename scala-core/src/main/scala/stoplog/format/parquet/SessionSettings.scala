// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapreduce.Job
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils, ParquetWriteSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.format.bulk.{BulkFormatName, FileMetadata}

/** The settings of Spark's Parquet sink, taken from a session on the driver. */
private[parquet] object SessionSettings {

  def apply(
      schema: StructType,
      options: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): ParquetSettings = {
    val (metadata, others) = FileMetadata.split(options)
    val dotted             = others.filter { case (key, _) => key.contains('.') }
    val own                = ofWrite(session, others)
    ParquetSettings(
      schema,
      dotted ++ carried(prepared(schema, others, dotted, own, hadoop)),
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

  // Spark's own preparation, so that each line of it sets what that line's write support asks for.
  private def prepared(
      schema: StructType,
      options: Map[String, String],
      dotted: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): Configuration = {
    val conf = new Configuration(hadoop)
    // As a session's settings and a writer's options reach Hadoop in Spark.
    (session.getAllConfs.filter(setting => isCarried(setting._1)) ++ dotted).foreach { case (key, value) =>
      conf.set(key, value)
    }
    val job = Job.getInstance(conf)
    ParquetUtils.prepareWrite(session, job, schema, new ParquetOptions(options, session))
    job.getConfiguration
  }

  private def carried(conf: Configuration): Map[String, String] =
    conf.asScala.map(_.getKey).filter(isCarried).map(key => key -> conf.get(key)).toMap -
      ParquetWriteSupport.SPARK_ROW_SCHEMA

  private def isCarried(key: String): Boolean = Carried.exists(key.startsWith)

  // The last three are where the codecs look for their levels and buffers.
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
}
