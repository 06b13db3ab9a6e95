// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.collection.mutable
import scala.util.Using

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.source.file.{Extent, FileSplit, TextLines}
import stoplog.storage.{SourceFile, SourceFiles}
import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings, HadoopSourceFiles}

/** Input of a source in a bucket. */
class S3SourceFilesSuite extends AnyFunSuite {

  test("a listing and a look at one object tell one ETag, and other bytes have another") {
    val root  = s"s3a://${S3Bucket.plain.name}/source-${UUID.randomUUID()}"
    val files = new HadoopFiles(root, new HadoopSettings(S3Bucket.plain.conf))
    val in    = new HadoopSourceFiles(files)
    put(files, "one\n")
    val listed = entry(in)
    assert(listed.tag.exists(_.nonEmpty))
    val same = in.find("a").get.file("a").get
    assert(same.tag === listed.tag)
    assert(same.isStill(listed))
    put(files, "two\n")
    val other = in.find("a").get.file("a").get.copy(modifiedMillis = listed.modifiedMillis)
    assert(other.bytes === listed.bytes)
    assert(!other.isStill(listed))
  }

  test("a source reads the listed version of an object, or fails by name") {
    val root  = s"s3a://${S3Bucket.plain.name}/source-${UUID.randomUUID()}"
    val files = new HadoopFiles(root, new HadoopSettings(S3Bucket.plain.conf))
    for (other <- Seq("two\n", "two\nand three\n", "2\n")) {
      val world = TextLines.source(new HadoopSourceFiles(files, S3Versions))
      put(files, "one\n")
      val split = FileSplit(entry(new HadoopSourceFiles(files)), Extent.Bytes(0, 4))
      assert(TextLines.rows(world, Seq(split)) === Vector("one"))
      put(files, other)
      val error = intercept[StoplogException](TextLines.rows(world, Seq(split)))
      assert(error.getCondition === "STOPLOG_SOURCE_FILE_CHANGED", other)
    }
  }

  private def put(files: HadoopFiles, text: String): Unit =
    Using.resource(files.fileSystem.create(new Path(s"${files.root}/a"), true))(_.write(text.getBytes(UTF_8)))

  private def entry(files: SourceFiles): SourceFile = {
    val found = mutable.Buffer.empty[SourceFile]
    files.list("")(entry => found ++= entry.file(entry.name))
    found.head
  }
}
