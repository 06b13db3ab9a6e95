// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.concurrent.{CountDownLatch, FutureTask}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.scalatest.funsuite.AnyFunSuite

import stoplog.filesource.FileReads
import stoplog.format.SparkSessionForTests
import stoplog.format.read.SparkBlocks.Vectors
import stoplog.laws.MemoryState
import stoplog.options.SourceOptions
import stoplog.source._
import stoplog.source.file.FileSplit

/** The source's stream as Spark drives it. */
class SourceStreamSuite extends AnyFunSuite with SparkSessionForTests {

  test("a commit from another thread, like asynchronous progress tracking, waits for a plan") {
    spark // which the source asks for its settings
    val in = new Input
    in.write("a.txt", "ant\n")
    val asked   = new CountDownLatch(1)
    val go      = new CountDownLatch(1)
    val state   = new MemoryState
    val stream  = new SourceStream(source(in), state, ReadLimits.none, 1, Vectors.Rows)
    val plans   = new FutureTask(() => stream.latestOffset(stream.initialOffset(), ReadLimit.allAvailable()))
    val commits = new FutureTask(() => stream.commit(stream.initialOffset()), ())
    state.beforePut = _ => {
      asked.countDown()
      go.await()
    }
    new Thread(plans).start()
    asked.await()
    val thread = new Thread(commits)
    thread.start()
    while (thread.getState != Thread.State.BLOCKED && thread.isAlive) Thread.onSpinWait()
    assert(thread.isAlive, "it has committed within the plan")
    go.countDown()
    assert(plans.get().json().contains("\"splits\":1"))
    commits.get()
    stream.stop()
  }

  private def source(in: Input): SplitSource[FileSplit, _, InternalRow] = {
    val options = SourceOptions.parse(java.util.Map.of("path", in.root.toString, "format", "text"))
    val columns = FileReads.schema(options)
    FileReads.source(options, columns, columns, Nil).source
  }
}
