// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files

import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests
import stoplog.storage.hdfs.HdfsUnderTest

/** The sink on HDFS, as a user of Spark sees it. */
class HdfsSinkSuite extends AnyFunSuite with SparkSessionForTests with BatchJobs {

  test("parts stay open across runs of a query, and finished parts contain each row once") {
    val storage = HdfsUnderTest.create()
    try {
      val rows       = MemoryStream[String](spark.implicits.newStringEncoder, spark)
      val checkpoint = Files.createTempDirectory("stoplog-hdfs-checkpoint").toString
      for (run <- 1 to 3) {
        rows.addData(s"$run a", s"$run b")
        val finalizing = if (run == 3) "always" else "never"
        SinkRuns.run(SinkRuns.writer(rows.toDF(), storage.root, checkpoint, finalizing))
        if (run < 3) assert(storage.visible().isEmpty)
      }
      assert(lines(storage) === (for {
        run    <- 1 to 3
        letter <- Seq("a", "b")
      } yield s"$run $letter"))
      assert(storage.partStore().staged().isEmpty)
    } finally storage.close()
  }

  test("a batch job appends to existing files or replaces them") {
    val storage = HdfsUnderTest.create()
    try {
      job("one", storage.root, SaveMode.Append)
      job("two", storage.root, SaveMode.Append)
      assert(lines(storage) === Seq("one", "two"))
      job("three", storage.root, SaveMode.Overwrite)
      assert(lines(storage) === Seq("three"))
      overwriteDays(storage.root, storage)
    } finally storage.close()
  }
}
