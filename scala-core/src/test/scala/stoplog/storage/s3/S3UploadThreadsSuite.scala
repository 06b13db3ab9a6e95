// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.storage.s3.S3Uploads.UploadThreads

class S3UploadThreadsSuite extends AnyFunSuite {

  test("uploads continue to a storage while another storage hangs") {
    val release = new CountDownLatch(1)
    val hung    = UploadThreads.of("s3a://hung", threads = 2)
    val waiting = Seq.fill(2)(hung.submit(() => release.await()))
    try {
      val healthy = UploadThreads.of("s3a://healthy", threads = 2)
      assert((1 to 10).map(number => UploadThreads.await(healthy.submit(() => number))) === (1 to 10))
    } finally release.countDown()
    waiting.foreach(UploadThreads.await(_))
  }

  test("reports a storage without timely uploads and preserves an interrupt") {
    val release = new CountDownLatch(1)
    val threads = new UploadThreads("s3a://hung", threads = 1, mostMillis = 1)
    val first   = threads.submit(() => release.await())
    try {
      Thread.currentThread().interrupt()
      val error = intercept[StoplogException](threads.submit(() => ()))
      assert(Thread.interrupted())
      assert(error.getCondition === "STOPLOG_STORAGE_HANGS")
      assert(error.getMessage.contains("s3a://hung"))
    } finally release.countDown()
    UploadThreads.await(first)
    assert(first.isDone && release.await(0, TimeUnit.SECONDS))
  }
}
