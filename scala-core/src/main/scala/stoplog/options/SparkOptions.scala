// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.Errors

/** The map of options that Spark hands to a data source. */
private[stoplog] object SparkOptions {
  private final val AsyncProgress = "asyncProgressTrackingEnabled"

  /** As they were written: Spark's map shows its keys in lower case, but still knows. */
  def spelled(options: JMap[String, String]): Seq[(String, String)] = options match {
    case caseless: CaseInsensitiveStringMap => caseless.asCaseSensitiveMap.asScala.toSeq
    case other                              => other.asScala.toSeq
  }

  /** In any case of their names. */
  def caseless(options: JMap[String, String]): CaseInsensitiveStringMap = options match {
    case already: CaseInsensitiveStringMap => already
    case other                             => new CaseInsensitiveStringMap(other)
  }

  /** Whether the session sets the option for all its reads and writes. */
  def isOfSession(key: String): Boolean = SparkSession.getActiveSession.exists(
    _.conf.getAll.keys.exists(_.equalsIgnoreCase(s"spark.datasource.stoplog.$key"))
  )

  /** Whether Spark itself puts the key into the options of a read or a write, or reads it from them. */
  def isSparks(key: String): Boolean = key.startsWith("_") || ofSpark.exists(_.equalsIgnoreCase(key))

  private val ofSpark =
    Seq("checkpointLocation", "queryName", AsyncProgress, "asyncProgressTrackingCheckpointIntervalMs")

  /** Refuses asynchronous progress tracking: Spark then notes a query's progress after the sink's commit, or never.
    *
    * Error: `STOPLOG_ASYNC_PROGRESS`.
    */
  def refuseAsyncProgress(options: JMap[String, String]): Unit =
    if (caseless(options).getBoolean(AsyncProgress, false)) throw Errors.asyncProgress()
}

/** Hadoop's settings as the user gave them to Spark. */
private[stoplog] object SparkHadoop {
  def configuration: Configuration = SparkSession.active.sparkContext.hadoopConfiguration
}
