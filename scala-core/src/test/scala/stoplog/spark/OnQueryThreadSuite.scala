// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.{IOException, InterruptedIOException}
import java.net.{SocketTimeoutException, URI}
import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.{CountDownLatch, ExecutionException}

import org.apache.hadoop.fs.{FSDataInputStream, Path}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.StreamingQuery
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.checkpoint.PlannedBatches
import stoplog.error.Errors
import stoplog.format.SparkSessionForTests
import stoplog.storage.hadoop.DiskFs

/** `query.stop()` ends a query without an error, also in the middle of stoplog's own requests. */
class OnQueryThreadSuite extends AnyFunSuite with SparkSessionForTests {

  test("a query that is stopped while the sink reads the checkpoint ends without an error") {
    val place = new TestDirectory
    spark.sparkContext.hadoopConfiguration.set("fs.waiting.impl", classOf[WaitingFs].getName)
    WaitingFs.reading = new CountDownLatch(1)
    val query = start(place, s"waiting://${place.checkpoint}")
    WaitingFs.reading.await()
    query.stop()
    assert(query.exception === None)
  }

  for (
    interrupt <- Seq(
      new InterruptedException,
      new InterruptedIOException,
      new ClosedByInterruptException
    )
  )
    test(s"an error with the cause ${interrupt.getClass.getSimpleName} is a stop, with the error's message") {
      val error   = Errors.checkpointUnreadable("/place", new IOException(interrupt))
      val stopped = intercept[ExecutionException](OnQueryThread(throw error))
      assert(stopped.getCause === interrupt)
      assert(stopped.getMessage === error.getMessage)
    }

  test("a timeout of a connection stays an error") {
    val error = Errors.checkpointUnreadable("/place", new SocketTimeoutException("no answer"))
    assert(intercept[Exception](OnQueryThread(throw error)) === error)
  }

  private def start(place: TestDirectory, checkpoint: String): StreamingQuery = {
    val session = spark
    import session.implicits._
    val input = MemoryStream[String](session)
    input.addData("a row")
    FileSink
      .forRowFormat(place.out, "text")
      .build()
      .writeStream(input.toDF())
      .option("checkpointLocation", checkpoint)
      .start()
  }
}

/** A storage whose response to the sink's request for the offsets of a micro-batch is an interruption. */
class WaitingFs extends DiskFs {
  override def getUri: URI = URI.create("waiting:///")

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    if (path.getParent.getName != "offsets" || !isOfSink) super.open(path, bufferSize)
    else
      try {
        WaitingFs.reading.countDown()
        new CountDownLatch(1).await()
        super.open(path, bufferSize)
      } catch {
        case _: InterruptedException =>
          Thread.currentThread.interrupt()
          throw new ClosedByInterruptException
      }

  // Spark reads the same file itself.
  private def isOfSink: Boolean =
    Thread.currentThread.getStackTrace.exists(_.getClassName == classOf[PlannedBatches].getName)
}

object WaitingFs {
  @volatile var reading = new CountDownLatch(1)
}
