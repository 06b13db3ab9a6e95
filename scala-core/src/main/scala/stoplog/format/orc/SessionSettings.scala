// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.orc.OrcConf
import org.apache.spark.sql.execution.datasources.orc.OrcOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.FileMetadata

/** The settings of Spark's ORC sink, taken from a session on the driver. */
private[orc] object SessionSettings {

  def apply(
      schema: StructType,
      options: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): OrcSettings = {
    val (metadata, others) = FileMetadata.split(options)
    // As a session's settings and a writer's options reach Hadoop in Spark: the later win.
    val carried =
      Seq(settingsOf(hadoop), session.getAllConfs, others).map(_.filter(setting => isOrc(setting._1)))
    OrcSettings(
      schema,
      carried.reduce(_ ++ _) + (OrcConf.COMPRESS.getAttribute -> codec(others, session)),
      session.orcVectorizedWriterBatchSize,
      metadata
    )
  }

  private def codec(options: Map[String, String], session: SQLConf): String =
    DryRun.asked(new OrcOptions(options, session).compressionCodec)

  private def settingsOf(hadoop: Configuration): Map[String, String] =
    hadoop.asScala.map(_.getKey).filter(isOrc).map(key => key -> hadoop.get(key)).toMap

  def isOrc(key: String): Boolean = key.startsWith("orc.") || key.startsWith("hive.exec.orc.")
}
