// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.io.{ByteArrayInputStream, FileNotFoundException, IOException}
import java.time.Duration
import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import org.apache.hadoop.fs.s3a.impl.AWSClientConfig
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun

/** S3A as the client, a strict server behind. */
class FaultProxySuite extends AnyFunSuite with BeforeAndAfterAll with LongRun {
  private lazy val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)

  override protected def afterAll(): Unit = proxy.close()

  test("the proxy passes requests unchanged and counts each call") {
    proxy.inject()
    withS3("fs.s3a.multipart.size" -> "5m") { s3 =>
      val large = new Array[Byte](11 << 20)
      new Random(7).nextBytes(large)
      s3.write("with spaces, = and %/ä/large", large)
      s3.write("small", "text")
      assert(s3.bytes("with spaces, = and %/ä/large").sameElements(large))
      assert(s3.read("small") == "text")
    }
    val counts = proxy.counts
    assert(counts(S3Call.CreateMultipartUpload) == 1)
    assert(counts(S3Call.UploadPart) == 3)
    assert(counts(S3Call.CompleteMultipartUpload) == 1)
    assert(counts(S3Call.PutObject) == 1)
    assert(counts.contains(S3Call.GetObject))
    assert(!counts.contains(S3Call.OfBucket))
    assert(proxy.faults.isEmpty)
  }

  for (fault <- Seq(Fault.SlowDown, Fault.InternalError, Fault.ResetBefore, Fault.AnswerLost))
    test(s"S3A recovers from $fault at the first request for each call") {
      proxy.inject(FaultRule.firstOfEachCall(fault))
      withS3() { s3 =>
        s3.write("again", "text")
        assert(s3.read("again") == "text")
      }
      assert(proxy.faults.toSet.contains(S3Call.PutObject -> fault))
      assert(proxy.counts(S3Call.PutObject) == 2)
    }

  test("an object exists although the response to its PUT is lost") {
    proxy.inject(FaultRule.always(S3Call.PutObject, Fault.AnswerLost))
    withS3()(s3 => assertThrows[IOException](s3.write("stored", "text")))
    proxy.inject()
    withS3()(s3 => assert(s3.read("stored") == "text"))
  }

  test("an object does not exist if its PUT is cut off before the server") {
    proxy.inject(FaultRule.always(S3Call.PutObject, Fault.ResetBefore))
    withS3()(s3 => assertThrows[IOException](s3.write("never", "text")))
    proxy.inject()
    withS3()(s3 => assert(s3.length("never").isEmpty))
  }

  test("a client retries after a timeout without a response") {
    // S3A takes less than its least of 15 s for a mistake otherwise.
    AWSClientConfig.setMinimumOperationDuration(Duration.ZERO)
    try {
      proxy.inject(FaultRule.nth(S3Call.PutObject, 1, Fault.NoAnswer))
      withS3("fs.s3a.connection.timeout" -> "2s")(_.write("patient", "text"))
      assert(proxy.counts(S3Call.PutObject) >= 2)
    } finally AWSClientConfig.resetMinimumOperationDuration()
  }

  test("a completion with a lost response succeeds, and a forgetful server rejects the repetition") {
    proxy.inject(
      FaultRule.forgetsCompletedUploads,
      FaultRule.nth(S3Call.CompleteMultipartUpload, 1, Fault.AnswerLost)
    )
    val path = S3aFiles.path("completed")
    withS3() { s3 =>
      Using.resource(s3.fileSystem.createMultipartUploader(path).build()) { uploader =>
        val upload = uploader.startUpload(path).get()
        val part   =
          uploader.putPart(upload, 1, true, path, new ByteArrayInputStream(Array[Byte](1, 2)), 2).get()
        val error = intercept[ExecutionException] {
          uploader.complete(upload, path, Map(Int.box(1) -> part).asJava).get()
        }
        assert(error.getCause.isInstanceOf[FileNotFoundException])
      }
      assert(s3.length("completed").contains(2L))
    }
  }

  test("an abort keeps the object and other uploads, with S3Mock only through the proxy") {
    proxy.inject()
    withS3() { s3 =>
      assert(lengthOfFirst(s3, "aborted-after", completeFirst) === Some(1L))
      assert(lengthOfFirst(s3, "aborted-before", completeFirst.reverse) === Some(1L))
    }
    assert(proxy.counts(S3Call.AbortMultipartUpload) === 2)
    Using.resource(S3aFiles.connect(S3Server.sharedS3Mock.settings)) { s3 =>
      // Once it is there, S3Mock keeps to S3, and the proxy need not mend this.
      assert(lengthOfFirst(s3, "aborted-after-directly", completeFirst) === None)
    }
  }

  test("the same seed fails the same requests") {
    def run(): Seq[(S3Call, Fault)] = {
      proxy.inject(FaultRule.random(5, 0.3, Seq(Fault.SlowDown, Fault.ResetBefore)))
      withS3()(s3 => for (i <- 1 to 4) s3.write(s"random-$i", "text"))
      proxy.faults
    }
    val first = run()
    assert(first.nonEmpty)
    assert(run() == first)
  }

  test("each request fails once") {
    proxy.inject(FaultRule.firstAttempts(Fault.SlowDown))
    withS3()(s3 => for (i <- 1 to 2) s3.write(s"each-$i", "text"))
    assert(proxy.faults.count(_._1 == S3Call.PutObject) == 2)
    assert(proxy.counts(S3Call.PutObject) == 4)
  }

  private val completeFirst = Vector(true, false)

  /** Of two uploads of one name, completes the first, of one byte, and aborts the second. */
  private def lengthOfFirst(s3: S3aFiles, name: String, completes: Seq[Boolean]): Option[Long] = {
    val path = S3aFiles.path(name)
    Using.resource(s3.fileSystem.createMultipartUploader(path).build()) { uploader =>
      val first  = uploader.startUpload(path).get()
      val second = uploader.startUpload(path).get()
      val part   = uploader.putPart(first, 1, true, path, new ByteArrayInputStream(Array[Byte](1)), 1).get()
      completes.foreach {
        case true  => uploader.complete(first, path, Map(Int.box(1) -> part).asJava).get()
        case false => uploader.abort(second, path).get()
      }
    }
    s3.length(name)
  }

  private def withS3[A](more: (String, String)*)(use: S3aFiles => A): A =
    Using.resource(S3aFiles.connect(proxy.settings ++ more))(use)
}
