// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.SparkSession
import org.scalatest.{BeforeAndAfterAll, Suite}

/** One small session for a suite. */
trait SparkSessionForTests extends BeforeAndAfterAll { this: Suite =>

  protected lazy val spark: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .appName(suiteName)
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.session.timeZone", "UTC")
    .getOrCreate()

  override protected def afterAll(): Unit = {
    spark.stop()
    super.afterAll()
  }
}
