// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import org.scalatest.funsuite.AnyFunSuite

import stoplog.servers.S3Call.{CreateMultipartUpload, PutObject, UploadPart}
import stoplog.servers.{FaultProxy, S3Call, S3Server}
import stoplog.part.RunId
import stoplog.storage.NewPart

/** What a user sets for S3A holds for everything that the sink writes, uploads included. */
class S3HadoopSettingsSuite extends AnyFunSuite {
  private val run = RunId("11111111-1111-4111-8111-111111111111")

  private val settings = Map(
    "fs.s3a.encryption.algorithm"      -> "AES256",
    "fs.s3a.create.storage.class"      -> "standard_ia",
    "fs.s3a.acl.default"               -> "BucketOwnerFullControl",
    "fs.s3a.checksum.generation"       -> "true",
    "fs.s3a.create.checksum.algorithm" -> "CRC32"
  )

  test("encryption, storage class, ACL and checksum apply to every object") {
    val proxy   = FaultProxy.before(S3Server.sharedS3Mock.endpoint)
    val storage = S3UnderTest.create(
      S3Settings(partBytes = S3Settings.MinPartBytes, largePartBytes = S3Settings.MinPartBytes),
      S3Bucket(proxy.endpoint, "stoplog-settings", settings)
    )
    val server = storage.raw()
    try {
      for ((name, bytes) <- Seq("large.txt" -> (6 << 20), "small.txt" -> 100000, "tiny.txt" -> 10)) {
        val store  = storage.partStore()
        val output = store.create(NewPart("b", name, run))
        output.write(new Array[Byte](bytes), 0, bytes)
        store.publish(output.finish(), bytes.toLong, s"b/$name")
        val found = server.head(s"b/$name")
        assert(found.storageClassAsString() === "STANDARD_IA", name)
      }
      storage.logFiles().putIfAbsent(0, "record".getBytes)
      val requests = proxy.requests
      val making   = requests.filter(r => Set[S3Call](CreateMultipartUpload, PutObject)(r.call))
      assert(making.map(_.call).toSet.size === 2)
      for (request <- making) {
        assert(request.headers.get("x-amz-server-side-encryption") === Some("AES256"), request)
        assert(request.headers.get("x-amz-storage-class") === Some("STANDARD_IA"), request)
        assert(request.headers.get("x-amz-acl") === Some("bucket-owner-full-control"), request)
      }
      for (request <- requests if Set[S3Call](UploadPart, PutObject)(request.call))
        assert(
          request.headers.keys.exists(_.startsWith("x-amz-checksum-")) || request.headers
            .contains("x-amz-trailer"),
          request
        )
    } finally {
      server.close()
      storage.close()
      proxy.close()
    }
  }
}
