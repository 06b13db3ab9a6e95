// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.{MultipartUploader, Path}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun

/** What tests rely on in an S3 server, seen through S3A. */
abstract class S3ServerSuite(start: () => S3Server) extends AnyFunSuite {

  test("objects and unfinished uploads survive kill -9, and the address stays") {
    val server = start()
    try {
      val endpoint = server.endpoint
      val begun    = Using.resource(S3aFiles.connect(server.settings)) { s3 =>
        s3.write("object", "content")
        withUploader(s3) { uploader =>
          val upload = uploader.startUpload(target).get()
          (
            upload,
            uploader.putPart(upload, 1, false, target, part(LeastPartBytes), LeastPartBytes.toLong).get()
          )
        }
      }
      server.restart()
      assert(server.endpoint == endpoint)
      Using.resource(S3aFiles.connect(server.settings)) { s3 =>
        assert(s3.read("object") == "content")
        withUploader(s3) { uploader =>
          val (upload, first) = begun
          val last            = uploader.putPart(upload, 2, true, target, part(1), 1).get()
          assert(s3.length("upload").isEmpty)
          uploader.complete(upload, target, Map(Int.box(1) -> first, Int.box(2) -> last).asJava).get()
          assert(s3.length("upload").contains(LeastPartBytes + 1L))
        }
      }
    } finally server.kill()
  }

  private def target: Path = S3aFiles.path("upload")

  private def part(bytes: Int) = new ByteArrayInputStream(("x" * bytes).getBytes(UTF_8))

  private def withUploader[A](s3: S3aFiles)(use: MultipartUploader => A): A =
    Using.resource(s3.fileSystem.createMultipartUploader(target).build())(use)

  private val LeastPartBytes = 5 << 20 // of a part that is not the last one
}

class S3MockSuite extends S3ServerSuite(() => S3Server.startS3Mock()) with LongRun

class S3ProxySuite extends S3ServerSuite(() => S3Server.startS3Proxy()) with LongRun
