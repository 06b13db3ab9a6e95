// SPDX-License-Identifier: Apache-2.0
package stoplog.checkpoint

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException

class CheckpointPlaceSuite extends AnyFunSuite {
  private val configuration = new Configuration()
  private val root          = Files.createTempDirectory("stoplog-checkpoint")

  for (
    (location, expected) <- Seq(
      "/data/out/checkpoint"          -> "readers",
      "file:/data/out/a/b"            -> "readers",
      "file:///data/out/"             -> "readers",
      "/data/other/../out/checkpoint" -> "readers",
      "/data/out/_a=1/b"              -> "readers",
      "/data/out/_stoplog/checkpoint" -> "_stoplog",
      "/data/out/_stoplog"            -> "_stoplog",
      "/data/elsewhere/_stoplog/main" -> "_stoplog"
    )
  )
    test(s"rejects a checkpoint at $location for a sink at /data/out") {
      val refused = intercept[StoplogArgumentException](check("/data/out/", location))
      assert(refused.getCondition === "STOPLOG_CHECKPOINT_IN_SINK")
      assert(refused.getMessage.contains(expected), refused.getMessage)
    }

  for (
    location <- Seq(
      "/data/out/_checkpoint", "/data/out/.checkpoint/", "/data/out/a/_b/c", "/data/output", "/data",
      "hdfs://other/data/out/c"
    )
  )
    test(s"accepts a checkpoint at $location for a sink at /data/out")(check("/data/out/", location))

  test("compares the real directories of symbolic links") {
    val out  = Files.createDirectory(root.resolve("out"))
    val link = Files.createSymbolicLink(root.resolve("link"), out)
    intercept[StoplogArgumentException](check(out.toString, s"$link/checkpoint"))
    intercept[StoplogArgumentException](check(link.toString, s"$out/checkpoint"))
    check(link.toString, s"$out/_checkpoint")
  }

  test("compares paths relative to the working directory") {
    intercept[StoplogArgumentException](check("out", s"${System.getProperty("user.dir")}/out/checkpoint"))
  }

  test("compares the names of a bucket without the name of the client") {
    intercept[StoplogArgumentException](check("s3a://bucket/out", "s3://bucket/out/checkpoint"))
    check("s3a://bucket/out", "s3a://other/out/checkpoint")
  }

  test("compares the names of a NameNode without case and default port") {
    for (location <- Seq("hdfs://nn:8020/data/out/checkpoint", "hdfs://NN/data/out/checkpoint"))
      intercept[StoplogArgumentException](check("hdfs://nn/data/out", location))
    check("hdfs://nn/data/out", "hdfs://nn:8021/data/out/checkpoint")
  }

  private def check(path: String, location: String): Unit =
    CheckpointPlace.refuse(path, location, configuration)
}
