// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

/** One small Spark for all suites of a JVM, which run one after the other: a new one costs a second, and all that the
  * last one had compiled.
  */
private[format] object SharedSpark {
  private lazy val first = SparkSession
    .builder()
    .master("local[2]")
    .appName("tests")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.session.timeZone", "UTC")
    // There is one DataNode. Hadoop keeps the client of the first suite, with its settings, for all later suites.
    .config("spark.hadoop.dfs.replication", "1")
    .getOrCreate()

  private lazy val asStarted = new Configuration(hadoop)

  private var current = Option.empty[SparkSession]

  /** A new session, which is the active one of this thread and the default of all others. */
  def begin(): SparkSession = synchronized {
    asStarted
    val session = first.newSession()
    use(session)
    current = Some(session)
    session
  }

  /** Stops the queries of the session, if one was begun, and undoes what its suite told Hadoop. */
  def end(): Unit = synchronized {
    current.foreach { session =>
      session.streams.active.foreach(_.stop())
      restore()
      use(first)
    }
    current = None
  }

  private def use(session: SparkSession): Unit = {
    SparkSession.setDefaultSession(session)
    SparkSession.setActiveSession(session)
  }

  private def restore(): Unit = {
    val keys = (hadoop.asScala ++ asStarted.asScala).map(_.getKey).toSet
    for (key <- keys if hadoop.getRaw(key) != asStarted.getRaw(key))
      Option(asStarted.getRaw(key)).fold(hadoop.unset(key))(hadoop.set(key, _))
  }

  private def hadoop: Configuration = first.sparkContext.hadoopConfiguration
}
