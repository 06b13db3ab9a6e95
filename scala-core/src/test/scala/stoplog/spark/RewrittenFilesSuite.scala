// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests

/** Files that a program rewrites in place between the listing and the reading, as pandas does. */
class RewrittenFilesSuite extends AnyFunSuite with SparkSessionForTests {

  for (format <- Seq("parquet", "orc", "avro"))
    test(s"a whole $format file is read in its current state") {
      for ((before, after) <- Seq((10, 20000), (20000, 10))) {
        val in   = new Input
        val file = in.root.resolve(s"a.$format")
        Files.write(file, bytes(format, before))
        val rows = spark.read.format("stoplog").option("format", format).load(in.root.toString).rdd
        assert(rows.partitions.nonEmpty) // lists the files
        Files.write(file, bytes(format, after))
        assert(rows.collect().length === after)
      }
    }

  private def bytes(format: String, rows: Int): Array[Byte] = {
    val at = Files.createTempDirectory("stoplog-written")
    spark
      .range(0, rows.toLong, 1, 1)
      .selectExpr("id", "uuid() as word")
      .write
      .format("stoplog")
      .options(Map("format" -> format, "bucketAssigner" -> "basePath", "maxPartSize" -> "1g"))
      .mode("append")
      .save(at.toString)
    Files.readAllBytes(Files.list(at).filter(_.toString.endsWith(s".$format")).findFirst().get: Path)
  }
}
