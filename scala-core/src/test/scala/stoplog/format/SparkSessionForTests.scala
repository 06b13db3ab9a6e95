// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.SparkSession
import org.scalatest.{BeforeAndAfterAll, Suite}

/** A session for a suite over the one Spark of this JVM: settings, views and functions of a session are the suite's own,
  * and what it set in Spark's Hadoop configuration is undone when it ends.
  */
trait SparkSessionForTests extends BeforeAndAfterAll { this: Suite =>

  protected lazy val spark: SparkSession = SharedSpark.begin()

  override protected def afterAll(): Unit = {
    SharedSpark.end()
    super.afterAll()
  }
}
