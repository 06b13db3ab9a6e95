// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.source.ReadLimits
import stoplog.source.file.Monitoring.OnChangedFile.Tail

/** Files that others append to, and that are read on. */
class TailSuite extends AnyFunSuite {
  private val long = "x" * 100

  test("tail reads each line once for every limit and restart interval") {
    for {
      end      <- Seq("\n", "\r\n", "\r")
      limits   <- Seq(bytes(1), bytes(7), bytes(30), records(1), records(2))
      restarts <- Seq(Int.MaxValue, 1, 2, 3)
    } {
      val clue  = s"line ends of ${end.map(_.toInt)}, $limits, a restart each $restarts micro-batches"
      val world = new SourceWorld(Tail)
      val lines = Vector("1", long, "3", "4", long, "6").map(_ + end)
      val text  = lines.mkString
      // The writer stops in a line, at a line's end, in a long line, and with bytes behind the last end.
      for ((until, time) <- Seq(50, text.length - 108, text.length - 3, text.length).zipWithIndex) {
        world.files.put("a", text.take(until), time.toLong)
        takeAll(world, limits, restarts, clue)
      }
      world.files.put("a", text + "7", 9)
      takeAll(world, limits, restarts, clue)
      assert(world.read === lines.map(_.trim), clue)
    }
  }

  test("an appended tail without a micro-batch is found after a restart and read once") {
    for (cut <- Seq(false, true)) {
      val world = new SourceWorld(Tail)
      for (name <- Seq("a", "b", "c")) world.files.put(name, s"$name\n", 1)
      assert(world.batch() === Seq("a", "b", "c"))
      for (name <- Seq("a", "b", "c")) world.files.put(name, s"$name\n$name$name\n$name$name$name\n", 2)
      val limits = if (cut) bytes(4) else ReadLimits.none.copy(splits = Some(1))
      val first  = world.batch(limits)
      assert(first === Seq("aa", "aaa"))
      world.restart()
      world.driver.fixTarget()
      assert(world.all(limits) === Seq("bb", "bbb", "cc", "ccc"))
      assert(world.driver.outstanding.splits === 0)
      world.restart()
      assert(world.all() === Seq.empty)
    }
  }

  test("a grown compressed file is an error, and a shorter file is read again") {
    val gzip: Decoding = (_, file) => Option.when(file.path.endsWith(".gz"))(new GZIPInputStream(_))
    val world          = new SourceWorld(Tail, decoding = gzip)
    world.files.put("a.gz", gzipped("1", "2"), 1)
    assert(world.batch() === Seq("1", "2"))
    world.files.put("a.gz", gzipped("1", "2"), 2)
    assert(world.batch() === Seq.empty, "only its time is another")
    world.files.put("a.gz", gzipped("1", "2") ++ gzipped("3"), 3)
    for (_ <- 1 to 2) {
      val error = intercept[StoplogException](world.batch())
      assert(error.getCondition === "STOPLOG_SOURCE_FILE_GROWN")
      assert(error.getMessage.contains("memory:a.gz"))
    }
    world.files.move("a.gz", "b.gz")
    assert(world.batch() === Seq("1", "2", "3"))
    world.files.put("b.gz", gzipped("4"), 4)
    assert(world.batch() === Seq("4"))
  }

  test("a compressed file that is renamed between the plan and the reading is read once") {
    val gzip: Decoding = (_, file) => Option.when(file.path.endsWith(".gz"))(new GZIPInputStream(_))
    val world          = new SourceWorld(Tail, decoding = gzip)
    world.files.hasFileIds = true
    world.files.put("a.gz", gzipped("1", "2"), 1)
    world.planInVain()
    world.files.move("a.gz", "a.1.gz")
    world.files.put("a.gz", gzipped("3"), 2)
    assert(world.all() === Seq("1", "2", "3"))
  }

  test("an empty compressed file is read after it has content") {
    val gzip: Decoding = (_, file) => Option.when(file.bytes > 0)(new GZIPInputStream(_))
    val world          = new SourceWorld(Tail, decoding = gzip)
    world.files.put("a.gz", Array.emptyByteArray, 1)
    assert(world.batch() === Seq.empty)
    world.files.put("a.gz", gzipped("1"), 2)
    assert(world.batch() === Seq("1"))
  }

  private def gzipped(lines: String*): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    Using.resource(new GZIPOutputStream(bytes))(_.write(lines.map(_ + "\n").mkString.getBytes(UTF_8)))
    bytes.toByteArray
  }

  /** All that is there now, as `availableNow` takes it, in micro-batches of which there are no more than bytes. */
  private def takeAll(world: SourceWorld, limits: ReadLimits, restarts: Int, clue: String): Unit = {
    world.restart()
    world.driver.fixTarget()
    var batches = 0
    var isOver  = false
    while (!isOver) {
      isOver = world.planInVain(limits).isEmpty
      world.batch(limits)
      batches += 1
      assert(batches < 2000, s"$clue: it does not end; read ${world.read}")
      if (batches % restarts == 0) {
        world.restart()
        world.driver.fixTarget()
      }
    }
  }

  private def bytes(count: Long): ReadLimits = ReadLimits.none.copy(bytes = Some(count))

  private def records(count: Long): ReadLimits = ReadLimits.none.copy(records = Some(count))
}
