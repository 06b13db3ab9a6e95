// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.lang.management.ManagementFactory

import com.sun.management.ThreadMXBean
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.scalatest.funsuite.AnyFunSuite

import stoplog.thread.SharedMemory
import stoplog.writing.BadRow

class SpoolSuite extends AnyFunSuite {

  /** Short rows, and now and then one that is larger than a page. */
  private val texts = (0 until 20000).toVector.map { n =>
    if (n % 5000 == 4999) s"$n " * (1 << 18) else s"row $n"
  }

  private def filled(memory: SharedMemory): Spool = {
    val spool = new Spool(columns = 1, memory)
    texts.foreach(text => spool.append(TextRows.of(text)))
    spool
  }

  private def frames(spool: Spool): Array[Byte] = {
    val out = new ByteArrayOutputStream()
    spool.writeTo(out)
    out.toByteArray
  }

  private val threads = ManagementFactory.getPlatformMXBean(classOf[ThreadMXBean])

  private def allocatedBy(action: => Unit): Long = {
    val before = threads.getCurrentThreadAllocatedBytes
    action
    threads.getCurrentThreadAllocatedBytes - before
  }

  test("a row that the memory cannot encode is a bad row, and names the limit") {
    val row = TextRows.of("x" * (1 << 20))
    assert(Spool.encodable(row, heapBytes = 64L << 20) eq row)
    val error = intercept[BadRow](Spool.encodable(row, heapBytes = 16L << 20))
    assert(error.getCause.getMessage.contains(s"with a heap of ${16 << 20} bytes is ${(16 << 20) / 20}"))
  }

  test("the check of a row allocates nothing") {
    val row            = TextRows.of("a row")
    def checks(): Unit = {
      var n = 0
      while (n < 10000) {
        Spool.encodable(row, heapBytes = 64L << 20)
        n += 1
      }
    }
    allocatedBy(checks())
    assert(allocatedBy(checks()) < 10000, "less than a byte for each row")
  }

  test("frames that are read use one array for their rows") {
    val rows  = 5 * Spool.PageBytes / 1000
    val spool = new Spool(columns = 1, new SharedMemory(1L << 30))
    for (_ <- 1 to rows) spool.append(TextRows.of("x" * 1000))
    val file      = new ByteArrayInputStream(frames(spool))
    var read      = 0
    val allocated = allocatedBy(SpoolFrames.rows(file, columns = 1).foreach(_ => read += 1))
    assert(read === rows && allocated < 2L * Spool.PageBytes)
    spool.clear()
  }

  for ((what, bytes) <- Seq("enough" -> (1L << 30), "little" -> (3L << 20), "tiny" -> 5000L, "no" -> 0L))
    test(s"rows are read repeatedly in order with $what memory") {
      val memory = new SharedMemory(bytes)
      val spool  = filled(memory)
      assert(spool.rows === texts.size)
      assert(spool.rawBytes === texts.map(TextRows.of(_).getSizeInBytes.toLong).sum)
      for (_ <- 1 to 2) assert(TextRows.texts(spool.iterator) === texts)
      val read = SpoolFrames.rows(new ByteArrayInputStream(frames(spool)), columns = 1)
      assert(TextRows.texts(read) === texts)
      spool.append(TextRows.of("after reading"))
      assert(TextRows.texts(spool.iterator) === texts :+ "after reading")
      spool.clear()
    }

  test("a cleared spool is empty, reusable and holds no memory") {
    for (limit <- Seq(1L << 30, 3L << 20, 0L)) {
      val memory = new SharedMemory(limit)
      val spool  = filled(memory)
      spool.clear()
      assert(spool.rows === 0 && spool.rawBytes === 0 && spool.iterator.isEmpty && frames(spool).isEmpty)
      assert(memory.take(limit), "all of it is free again")
      memory.giveBack(limit)
      spool.append(TextRows.of("again"))
      assert(TextRows.texts(spool.iterator) === Vector("again"))
      spool.clear()
      spool.clear()
      assert(memory.take(limit))
    }
  }

  test("an empty spool takes no memory, and a small spool the first page") {
    val memory = new SharedMemory(Spool.FirstBytes.toLong)
    val spool  = new Spool(columns = 1, memory)
    assert(memory.take(Spool.FirstBytes.toLong))
    memory.giveBack(Spool.FirstBytes.toLong)
    (1 to 50).foreach(n => spool.append(TextRows.of(s"row $n")))
    assert(!memory.take(1))
    spool.clear()
  }

  test("a row larger than any array is rejected by size without other effects") {
    val claimed = new UnsafeRow(1)
    claimed.pointTo(null, 0L, Int.MaxValue - 7) // nothing reads it
    val spool = new Spool(columns = 1, new SharedMemory(1L << 20))
    spool.append(TextRows.of("before"))
    assert(intercept[BadRow](spool.append(claimed)).getCause.getMessage.contains("2147483640 bytes"))
    spool.append(TextRows.of("after"))
    assert(TextRows.texts(spool.iterator) === Vector("before", "after"))
    spool.clear()
    val page = RowPage.empty(100)
    assert(page.append(TextRows.of("before")) && !page.append(claimed))
  }

  test("many spools together stay within the limit plus a minimum page each") {
    val limit  = 1L << 20
    val memory = new SharedMemory(limit)
    val spools = Vector.fill(50)(new Spool(columns = 1, memory))
    for {
      n     <- 1 to 2000
      spool <- spools
    } spool.append(TextRows.of(s"row $n, and some more of it"))
    assert(spools.map(_.heapBytes).sum <= limit + spools.size * Spool.FirstBytes)
    spools.foreach(spool => assert(spool.iterator.size === 2000))
    spools.foreach(_.clear())
  }
}
