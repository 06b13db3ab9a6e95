// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

/** Hadoop's settings as Spark's own writers see them: the session's, and above them the options of the write. */
private[format] object SessionConfiguration {

  def apply(session: SparkSession, options: Map[String, String]): Configuration = {
    val configuration = new Configuration(session.sparkContext.hadoopConfiguration)
    for ((name, value) <- session.conf.getAll ++ options) configuration.set(name, value)
    configuration
  }
}
