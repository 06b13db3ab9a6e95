// SPDX-License-Identifier: Apache-2.0
package stoplog.checkpoint

import java.io.{EOFException, FileNotFoundException, IOException}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{AccessDeniedException, Files, Path, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, Path => HadoopPath}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.admin.NewOwner
import stoplog.error.StoplogException
import stoplog.log.BatchDigest
import stoplog.sink.BatchTimes
import stoplog.storage.hadoop.DiskFs

/** What Spark writes of a micro-batch before it begins. */
class PlannedBatchesSuite extends AnyFunSuite {

  private def times(file: String): BatchTimes = PlannedBatches.read(file.getBytes(UTF_8)).times

  test("reads the times from the metadata line, regardless of source lines") {
    val source = """{"logOffset":0,"batchTimestamp":1}"""
    val file   = s"""v1\n{"batchWatermarkMs":90000,"batchTimestampMs":1700000000123,"conf":{}}\n$source\n"""
    assert(times(file) === BatchTimes(Some(1700000000123L), Some(90000)))
    assert(PlannedBatches.read(file.getBytes(UTF_8)).digest === BatchDigest.of(file.getBytes(UTF_8)))
  }

  test("a missing watermark and an unknown format give unknown times") {
    assert(times("""{"batchWatermarkMs":0,"batchTimestampMs":7}""") === BatchTimes(Some(7), None))
    for (file <- Seq("", "v9\n{", "v1\n[]\n{}")) assert(times(file) === BatchTimes.unknown)
  }

  private def checkpoint(): Path = {
    val location = Files.createTempDirectory("stoplog-checkpoint")
    Files.createDirectories(location.resolve("offsets"))
    Seq("4", "5").foreach(batch => Files.writeString(location.resolve(s"offsets/$batch"), batch))
    location
  }

  private def batches(batch: Long, at: Option[String], failing: Option[IOException] = None) = {
    val configuration = new Configuration()
    configuration.set("fs.failing.impl", classOf[FailingFs].getName)
    configuration.setBoolean("fs.failing.impl.disable.cache", true)
    failing.foreach(why => configuration.set(FailingFs.Why, why.getClass.getName))
    new PlannedBatches(batch, at, configuration)
  }

  private def unreadable(action: => Any): String = {
    val refused = intercept[StoplogException](action)
    assert(refused.getCondition === "STOPLOG_CHECKPOINT_UNREADABLE")
    refused.getMessage
  }

  private def digest(batch: Long) = Some(BatchDigest.of(batch.toString.getBytes(UTF_8)))

  test("returns the digest of a planned batch, and none without the file or checkpoint") {
    val at    = checkpoint()
    val found = batches(5, Some(at.toString))
    assert(Seq(4L, 5L, 6L).map(found.of) === Seq(digest(4), digest(5), None))
    Files.delete(at.resolve("offsets/5"))
    assert(found.of(5) === digest(5), "as it was when the batch began")
    assert(batches(5, Some(at.resolve("none").toString)).of(5) === None)
    assert(batches(5, at = None).of(5) === None)
  }

  test("an unreadable offsets file fails instead of giving an unknown digest") {
    val at = checkpoint()
    for (
      why <- Seq(new IOException, new AccessDeniedException("5"), new EOFException, new FileNotFoundException)
    ) {
      val message = unreadable(batches(5, Some(s"failing://$at"), Some(why)))
      assert(message.contains(s"failing://$at") && message.contains(FailingFs.Said))
      val before = batches(6, Some(s"failing://$at"), Some(why)) // which is not there, and so not opened
      unreadable(before.of(5))
    }
  }

  test("an unreadable local file fails even if Java reports the file as missing") {
    val at = checkpoint()
    Files.createDirectory(at.resolve("offsets/6"))
    Files.createSymbolicLink(at.resolve("offsets/7"), Paths.get("7"))
    for (batch <- Seq(6L, 7L)) unreadable(batches(batch, Some(at.toString)))
    Files.writeString(at.resolve("metadata"), """{"id":"query-1"}""")
    Files.createSymbolicLink(at.resolve("commits"), Paths.get("commits"))
    unreadable(NewOwner.ofCheckpoint(at.toString))
  }
}

/** Files that are there, and cannot be opened. */
class FailingFs extends DiskFs {
  override def getUri: URI = URI.create("failing:///")

  override def open(path: HadoopPath, bufferSize: Int): FSDataInputStream =
    Option(getConf.get(FailingFs.Why)).filter(_ => exists(path)) match {
      case Some(why) =>
        throw Class
          .forName(why)
          .getConstructor(classOf[String])
          .newInstance(FailingFs.Said)
          .asInstanceOf[IOException]
      case None => super.open(path, bufferSize)
    }
}

object FailingFs {
  val Why: String  = "fs.failing.why"
  val Said: String = "the disk does not answer"
}
