// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{LastWriter, Open, PartRows, Resume, RunId}
import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings}
import stoplog.storage.{NewPart, PartOutput, PutOutcome, Storage}

/** How much a NameNode is asked, which is what limits a cluster with many buckets. */
class HdfsCallsSuite extends AnyFunSuite {
  private val run   = RunId("11111111-1111-4111-8111-111111111111")
  private val parts = 50

  test("an epoch sends the NameNode at most four calls per open part") {
    val storage = HdfsUnderTest.create()
    try {
      val store  = storage.partStore()
      val opened = (1 to parts).map(n => written(store.create(NewPart(s"b$n", "part-1.txt", run))).persist())
      val calls  = counted {
        opened.foreach(open => written(store.resume(open, Row.length.toLong)).persist())
      }
      assert(calls.values.sum <= 4L * parts, calls)
    } finally storage.close()
  }

  test("a part costs at most nine calls from its first byte to its final name") {
    val storage = HdfsUnderTest.create()
    try {
      val store = storage.partStore()
      val calls = counted {
        for (n <- 1 to parts) {
          val closed = written(store.create(NewPart("b", s"part-$n.txt", run))).finish()
          store.publish(closed, Row.length.toLong, s"b/part-$n.txt")
        }
      }
      assert(calls.values.sum <= 9L * parts + 5, calls)
    } finally storage.close()
  }

  test("fencing a part costs two calls") {
    val storage = HdfsUnderTest.create()
    try {
      val store  = storage.partStore()
      val opened = (1 to parts).map(n => written(store.create(NewPart("b", s"part-$n.txt", run))).persist())
      val calls  = counted(store.fence(run, opened.map(open(_)).toVector))
      assert(calls.values.sum <= 2L * parts, calls)
    } finally storage.close()
  }

  test("a record is durable by its blocks, without a call for each flush") {
    val storage = HdfsUnderTest.create()
    try {
      val files = new HadoopFiles(storage.root, new HadoopSettings(HdfsUnderTest.configuration()))
      val state = Storage.state(storage.root, HdfsUnderTest.configuration())
      for (store <- Seq(HdfsStorage.HdfsFileStore.ofSink(files, "main"), state)) {
        val calls =
          counted(assert(store.putIfAbsent(s"record-${store.hashCode}", Row) === PutOutcome.Created))
        assert(calls.keySet.exists(_.startsWith("Create")) && !calls.contains("Fsync"), calls)
      }
    } finally storage.close()
  }

  private val Row = "a row\n".getBytes("utf8")

  private def written(output: PartOutput): PartOutput = {
    output.write(Row, 0, Row.length)
    output
  }

  private def open(handle: Resume) =
    Open("b", "part-1.txt", handle, Row.length.toLong, PartRows(1, 0, 0), LastWriter(0, None))

  /** The calls by method, for an action that closes each part at most once. */
  private def counted(action: => Any): Map[String, Long] = MiniHdfs.callsDuring(action).map {
    case (Repeated, count) => Repeated -> count.min(parts.toLong)
    case other             => other
  }

  /** Clients repeat this until the DataNode has reported the block, which here is a matter of luck. */
  private val Repeated = "Complete"
}
