// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException

class S3PurgeSuite extends AnyFunSuite {
  private val everywhere = "fs.s3a.multipart.purge"
  private val here       = "fs.s3a.bucket.data.multipart.purge"
  private val elsewhere  = "fs.s3a.bucket.other.multipart.purge"

  for (
    (settings, key) <- Seq(
      Map(everywhere -> "true")                  -> everywhere,
      Map(here -> "true")                        -> here,
      Map(everywhere -> "false", here -> "true") -> here
    )
  )
    test(s"${settings.mkString(", ")}: refused before the bucket is opened") {
      val refused = intercept[StoplogArgumentException](check(settings))
      assert(refused.getCondition === "STOPLOG_UPLOAD_PURGE")
      assert(refused.getMessageParameters.get("key") === key)
    }

  for (
    settings <- Seq(
      Map.empty[String, String],
      Map(everywhere -> "false"),
      Map(everywhere -> "true", here -> "false"),
      Map(elsewhere  -> "true")
    )
  )
    test(s"${settings.mkString(", ")}: nothing is purged here") {
      check(settings)
    }

  private def check(settings: Map[String, String]): Unit = {
    val configuration = new Configuration(false)
    settings.foreach { case (key, value) => configuration.set(key, value) }
    S3Library.refusePurge(new Path("s3a://data/out"), configuration)
  }
}
