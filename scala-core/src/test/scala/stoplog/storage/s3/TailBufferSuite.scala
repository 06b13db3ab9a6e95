// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.{File, IOException, RandomAccessFile}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.thread.SharedMemory

class TailBufferSuite extends AnyFunSuite {

  test("returns appended bytes from memory and from disk") {
    for (limit <- Seq(0L, 20000L, Long.MaxValue / 2)) {
      val buffer = new TailBuffer(new SharedMemory(limit))
      val pieces = (1 to 200).map(n => Array.tabulate(n)(at => (n * 31 + at).toByte))
      buffer.append(Array.emptyByteArray, 0, 0)
      pieces.foreach(piece => buffer.append(piece, 0, piece.length))
      assert(buffer.content().toSeq === pieces.flatten, s"limit $limit")
      assert(buffer.size === pieces.map(_.length).sum)
      buffer.append(Array[Byte](1, 2, 3), 1, 1)
      assert(buffer.content(from = 20000).toSeq === (pieces.flatten.drop(20000) :+ 2.toByte))
      assert(buffer.content(from = buffer.size).isEmpty)
      assert(buffer.content().last === 2.toByte, "reading does not move the end")
      assert(buffer.drain().readAllBytes().toSeq === pieces.flatten :+ 2.toByte)
      assert(buffer.size === 0)
      assert(buffer.content().isEmpty)
    }
  }

  test("tails stay within the shared memory and release all memory on clear") {
    val memory = new SharedMemory(64 << 10)
    val tails  = Vector.fill(100)(new TailBuffer(memory))
    tails.foreach(_.append(new Array[Byte](5000), 0, 5000))
    assert(!memory.take(8 << 10), "all of it is in use")
    assert(tails.forall(_.content().length == 5000))
    tails.foreach(_.clear())
    assert(memory.take(64 << 10), "nothing is in use")
  }

  test("moves from memory to disk in the middle of a tail") {
    val memory = new SharedMemory(10 << 10)
    val tail   = new TailBuffer(memory)
    (0 until 100).foreach(n => tail.append(Array.fill(1000)(n.toByte), 0, 1000))
    assert(tail.content().toSeq === (0 until 100).flatMap(n => Seq.fill(1000)(n.toByte)))
    assert(memory.take(10 << 10), "what is on disk takes no memory")
  }

  test("a full local disk leaves no open file and keeps bytes in memory") {
    assume(new File("/dev/full").exists, "a device of Linux")
    val opened = Vector.newBuilder[RandomAccessFile]
    val full   = () => {
      val file = new RandomAccessFile("/dev/full", "rw")
      opened += file
      file
    }
    val tail = new TailBuffer(new SharedMemory(10 << 10), full)
    tail.append(new Array[Byte](8 << 10), 0, 8 << 10)
    for (_ <- 1 to 3) intercept[IOException](tail.append(new Array[Byte](8 << 10), 0, 8 << 10))
    assert(opened.result().size === 3 && opened.result().forall(!_.getFD.valid()))
    assert(tail.size === (8 << 10) && tail.content().length === (8 << 10))
  }

  test("a drained stream supports mark and reset for repeated requests") {
    for (limit <- Seq(0L, Long.MaxValue / 2)) {
      val tail  = new TailBuffer(new SharedMemory(limit))
      val bytes = Array.tabulate(700000)(at => (at * 31 + at / 256).toByte)
      bytes.grouped(30001).foreach(piece => tail.append(piece, 0, piece.length))
      val content = tail.drain()
      content.mark(1)
      for (_ <- 1 to 2) {
        assert(content.read() === (bytes(0) & 0xff))
        assert(content.readNBytes(299999).sameElements(bytes.slice(1, 300000)))
        content.reset()
      }
      assert(content.available() === bytes.length)
      assert(content.readAllBytes().sameElements(bytes))
      assert(content.read() === -1)
    }
  }
}
