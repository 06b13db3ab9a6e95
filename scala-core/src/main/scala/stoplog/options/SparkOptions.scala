// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.Errors

/** The options that Spark passes to a data source. */
private[stoplog] object SparkOptions {
  private final val AsyncProgress = "asyncProgressTrackingEnabled"

  /** Returns the options with the user's spelling, which Spark's map keeps in addition to lower case. */
  def spelled(options: JMap[String, String]): Seq[(String, String)] = options match {
    case caseless: CaseInsensitiveStringMap => caseless.asCaseSensitiveMap.asScala.toSeq
    case other                              => other.asScala.toSeq
  }

  /** Returns the options with case-insensitive names. */
  def caseless(options: JMap[String, String]): CaseInsensitiveStringMap = options match {
    case already: CaseInsensitiveStringMap => already
    case other                             => new CaseInsensitiveStringMap(other)
  }

  /** Returns whether the session sets the option for all its reads and writes. */
  def isOfSession(key: String): Boolean = SparkSession.getActiveSession.exists(
    _.conf.getAll.keys.exists(_.equalsIgnoreCase(s"spark.datasource.stoplog.$key"))
  )

  /** Returns whether Spark itself adds the key to the options of a read or a write, or reads the key. */
  def isSparks(key: String): Boolean = key.startsWith("_") || ofSpark.exists(_.equalsIgnoreCase(key))

  private val ofSpark =
    Seq("checkpointLocation", "queryName", AsyncProgress, "asyncProgressTrackingCheckpointIntervalMs")

  /** Rejects asynchronous progress tracking, because Spark then records progress after the sink's commit, or
    * never.
    *
    * Error: `STOPLOG_UNSUPPORTED`.
    */
  def refuseAsyncProgress(options: JMap[String, String]): Unit =
    if (caseless(options).getBoolean(AsyncProgress, false)) throw Errors.asyncProgress()
}

/** The user's settings of Hadoop. */
private[stoplog] object SparkHadoop {
  private val ofTool = new AtomicReference(Option.empty[Configuration])

  /** Returns the settings of the active session, as Spark's own sources and sinks use them: with
    * `spark.conf.set("fs.s3a.…", …)`, which is the only way of a Spark Connect client.
    */
  def configuration: Configuration = of(SparkSession.active)

  /** Returns a copy of the session's settings. */
  def of(session: SparkSession): Configuration = session match {
    case session: classic.SparkSession => session.sessionState.newHadoopConf()
    case other                         => other.sparkContext.hadoopConfiguration
  }

  /** Returns the settings for threads without an active session: of the tool, or else of the default session.
    */
  def ofProcess: Configuration = ofTool.get
    .orElse(SparkSession.getDefaultSession.map(_.sparkContext.hadoopConfiguration))
    .getOrElse(new Configuration)

  /** Runs a tool, which has no session, with these settings. */
  def withTool[A](settings: Configuration)(tool: => A): A = {
    val before = ofTool.getAndSet(Some(settings))
    try tool
    finally ofTool.set(before)
  }
}
