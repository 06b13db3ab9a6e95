// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

/** Hadoop's settings as the user gave them to Spark. */
private[stoplog] object SparkHadoop {
  def configuration: Configuration = SparkSession.active.sparkContext.hadoopConfiguration
}
