// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.IOException

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit._
import stoplog.error.StoplogException
import stoplog.part.BlockOutput
import stoplog.plan.Attempt
import stoplog.thread.SharedMemory
import stoplog.util.UserObject
import stoplog.writing.{BadRow, OnBadRow}

class BulkPartsSuite extends AnyFunSuite {

  test("blocks reach their target size regardless of epochs and keep rows in order") {
    for (rowsOfEpoch <- Seq(3, 100, 1000)) {
      val world = new BulkWorld(blockBytes = 2000)
      while (world.next < 3000) world.epoch(rowsOfEpoch)
      val blocks = world.end()
      assert(blocks.flatten === (0 until world.next).map(n => s"row $n"))
      val sizes = blocks.map(_.map(_.length + 1).sum)
      assert(sizes.init.forall(size => size >= 1900 && size <= 2000 + 100 * 10), s"$rowsOfEpoch: $sizes")
    }
  }

  test("rows below the block size are kept in a small number of spool files") {
    val world = new BulkWorld(blockBytes = 1L << 40)
    (1 to 600).foreach(_ => world.epoch(3))
    assert(world.onlyOpen.validBytes === 0)
    assert(world.onlyOpen.spooled.files.size < 48)
    assert(world.end().flatten === (0 until 1800).map(n => s"row $n"))
  }

  test("spool files are released after their rows are in a block") {
    val world = new BulkWorld(blockBytes = 5000)
    (1 to 200).foreach(_ => world.epoch(10))
    assert(world.onlyOpen.spooled.files.map(_.sizeBytes).sum < 5000)
    assert(world.onlyOpen.validBytes > 5000)
  }

  test("a repeated attempt starts from the record") {
    val world = new BulkWorld(blockBytes = 500)
    world.epoch(100)
    world.epoch(90, Attempt.Repeated)
    world.epoch(10)
    assert(world.end().flatten === (0 until 200).map(n => s"row $n"))
  }

  test("a policy sees the bytes of rows outside any block") {
    val world = new BulkWorld(
      blockBytes = 1L << 40,
      Rolls(beforeRow = part => Option.when(part.sizeBytes > 4000)(stoplog.rolling.RollReason.Size)).policy
    )
    while (world.closed.isEmpty) world.epoch(1)
    val file = parts(world)
    assert(file.flatten === file.flatten.indices.map(n => s"row $n"))
  }

  test("a part that ends with its epoch is written immediately") {
    val world =
      new BulkWorld(blockBytes = 700, Rolls(onEpochEnd = _ => Some(stoplog.rolling.RollReason.End)).policy)
    world.epoch(500, life = PartLife.OneEpoch)
    assert(world.spoolFiles.staged().isEmpty)
    assert(parts(world).flatten === (0 until 500).map(n => s"row $n"))
  }

  for {
    life     <- Seq(PartLife.OneEpoch, PartLife.ManyEpochs)
    onBadRow <- Seq(OnBadRow.Fail, OnBadRow.Reject)
  } test(s"a row that the memory cannot encode is a bad row: $life, $onBadRow") {
    val end          = Rolls(onEpochEnd = _ => Some(stoplog.rolling.RollReason.End)).policy
    val world        = new BulkWorld(700, end, onBadRow = onBadRow, heapBytes = 40000)
    def text(n: Int) = if (n == 3) "x" * 2000 else s"row $n"
    if (onBadRow == OnBadRow.Fail) {
      val error = intercept[BadRow](world.epoch(5, life = life, text = text))
      assert(error.getCause.getMessage.contains("the maximum with a heap of 40000 bytes is 2000"))
    } else {
      world.epoch(5, life = life, text = text): Unit
      assert(parts(world).flatten === Seq(0, 1, 2, 4).map(n => s"row $n"))
    }
  }

  test("a task that fills several blocks ends blocks early at the common memory limit") {
    val mebi                      = 1L << 20
    var held                      = 0L
    var most                      = 0L
    def counted(blockBytes: Long) = new LinesThrough(blockBytes, "counted")(block =>
      new BlockThrough(block) {
        private var bytes                          = 0L
        override def write(row: InternalRow): Unit = {
          super.write(row)
          bytes += 32
          held += 32
          most = most.max(held)
        }
        override def close(): Unit = {
          held -= bytes
          bytes = 0
        }
      }
    )
    val end   = Rolls(onEpochEnd = _ => Some(stoplog.rolling.RollReason.End)).policy
    val world = new BulkWorld(2 * mebi, end, bulk = counted(_), mostInBlocks = Some(mebi))
    world.epoch(160000, life = PartLife.OneEpoch, bucket = n => s"b${n % 4}", text = n => f"row $n%06d"): Unit
    assert(most <= mebi + 4 * (64 << 10), "all rows are 4.9 MiB")
    assert(held === 0)
    val parts = world.closed.map(part => LineBlocks.read(world.parts.content(part.handle.token)))
    assert(parts.map(_.flatten).zipWithIndex.forall { case (rows, n) =>
      rows == (n until 160000 by 4).map(each => f"row $each%06d")
    })
    assert(parts.forall(blocks => blocks.size > 1 && blocks.size < 20), parts.map(_.map(_.size)))
  }

  test("a task that fills a single block at a time fills each block") {
    val end   = Rolls(onEpochEnd = _ => Some(stoplog.rolling.RollReason.End)).policy
    val world = new BulkWorld(2L << 20, end, bulk = new LineBlocks(_))
    world.epoch(160000, life = PartLife.OneEpoch, text = n => f"row $n%06d"): Unit
    val blocks = LineBlocks.read(world.parts.content(world.closed.head.handle.token))
    assert(blocks.init.forall(_.size * 32 >= (2 << 20)), blocks.map(_.size))
  }

  test("bytes of an unbuffered writer count once in the part size") {
    val sizes = mutable.ArrayBuffer.empty[(Long, Long)]
    val world = new BulkWorld(
      blockBytes = 1,
      Rolls(beforeRow = part => {
        sizes += part.records -> part.sizeBytes
        None
      }).policy,
      bulk = _ => BulkSink.UserFormat(UserObject.reference(BulkPartsSuite.AtOnce, "bulkWriter"))
    )
    world.epoch(300, life = PartLife.OneEpoch, text = n => f"row $n%04d")
    assert(sizes.map { case (records, bytes) => bytes - records * 9 }.distinct === Seq(0))
  }

  test("rows hold memory only during their epoch, regardless of their part") {
    val end = Rolls(onEpochEnd = _ => Some(stoplog.rolling.RollReason.End)).policy
    for {
      blockBytes <- Seq(100L, 5000L, 1L << 40)
      policy     <- Seq(Rolls.never, Rolls.atRecords(150), end)
    } {
      val world = new BulkWorld(blockBytes, policy)
      for (rows <- Seq(10, 1000, 10, 100)) {
        world.epoch(rows)
        assert(world.memory.usedBytes === 0, s"blocks of $blockBytes, $policy")
      }
    }
  }

  test("a part is identical with large, small and no memory for rows") {
    val files = for (bytes <- Seq(1L << 30, 10000L, 0L)) yield {
      val world = new BulkWorld(30000, memory = new SharedMemory(bytes), bulk = new LineBlocks(_))
      for (rows <- Seq(100, 3000, 17, 1, 5000)) world.epoch(rows)
      val file = world.endOf(world.onlyOpen, world.format())
      assert(LineBlocks.read(file).flatten === (0 until world.next).map(n => s"row $n"))
      file
    }
    assert(files.distinct.size === 1)
  }

  test("buckets that fill blocks in turn do not prevent each other's blocks from filling") {
    val world = new BulkWorld(10000, bulk = new LineBlocks(_))
    for (rows <- Seq(100, 3000, 17, 500)) world.epoch(rows, bucket = n => s"bucket ${n % 3}")
    assert(world.open.map(_.bucket).sorted === (0 to 2).map(n => s"bucket $n"))
    for (part <- world.open) {
      val blocks = LineBlocks.read(world.endOf(part, world.format()))
      val wanted = (0 until world.next).filter(n => s"bucket ${n % 3}" == part.bucket)
      assert(blocks.flatten === wanted.map(n => s"row $n"))
      val sizes = blocks.map(_.map(TextRows.of(_).getSizeInBytes).sum)
      assert(sizes.init.forall(size => size >= 9500 && size < 13000), s"${part.bucket}: $sizes")
    }
  }

  test("a displaced block restarts only when its rows can fill the block") {
    var blocks = 0
    val world  = new BulkWorld(
      10000,
      bulk = new LinesThrough(_, "counted")({ block =>
        blocks += 1
        block
      })
    )
    world.epoch(20000, bucket = n => s"bucket ${n % 2}")
    assert(blocks < 2 * world.next * 24 / 10000, "twice as many as there are at the end")
  }

  test("buckets of a format without size reports do not displace the block for each row") {
    var begun = 0
    val world = new BulkWorld(
      10000,
      bulk = new LinesThrough(_, "silent")({ block =>
        begun += 1
        new BlockThrough(block) { override def bufferedBytes: Long = 0 }
      })
    )
    for (_ <- 1 to 2) world.epoch(1000, bucket = n => s"b${n % 2}")
    assert(begun < 20)
    for (part <- world.open) {
      val rows = (0 until world.next).filter(n => s"b${n % 2}" == part.bucket).map(n => s"row $n")
      assert(LineBlocks.read(world.endOf(part, world.format())).flatten === rows)
    }
  }

  test("a finished task has closed all block writers, also for rows on trial") {
    for (onBadRow <- Seq(OnBadRow.Fail, OnBadRow.Reject)) {
      val left  = mutable.Set.empty[BlockWriter]
      val world = new BulkWorld(
        10000,
        bulk = size =>
          new LinesThrough(size, size.toString)({ begun =>
            val block = new BlockThrough(begun) {
              override def close(): Unit = {
                left -= this
                super.close()
              }
            }
            left += block
            block
          }),
        onBadRow = onBadRow
      )
      for (rows <- Seq(10, 1000)) {
        world.epoch(rows)
        assert(left.isEmpty, s"$onBadRow, $rows rows")
      }
    }
  }

  test("a task whose rows cannot be reread releases all memory at its end") {
    val world = new BulkWorld(2003)
    world.epoch(3000, bucket = _ => "a", text = _ => "") // from here on little is expected of a row
    for (_ <- 1 to 3) world.epoch(12, text = n => s"$n " + "x" * 100)
    val files = world.open.filter(_.bucket == "b").flatMap(_.spooled.files)
    assert(files.size === 3)
    world.spoolFiles.discard(Seq(files.last.token))
    intercept[StoplogException](world.epoch(1000, text = n => s"$n " + "x" * 100))
    assert(world.memory.usedBytes === 0)
  }

  test("large rows do not make a block many times its target size") {
    val world = new BulkWorld(100000, bulk = new LinesInBlocks(_))
    val large = "x" * 20000
    for (_ <- 1 to 3) world.epoch(30, bucket = _ => "b", text = n => s"$large $n")
    for (block <- world.end().init) assert(block.map(_.length + 1).sum < 200000)
  }

  test("a part keeps its initial format for all tasks that resume or end the part") {
    val world =
      new BulkWorld(
        1000,
        bulk = size => BulkSink.UserFormat(UserObject.reference(new LineBlocks(size), "bulkWriter"))
      )
    world.epoch(110)
    world.blocksOf = 5000
    world.epoch(300)
    val file = world.endOf(world.onlyOpen, new EndingParts(world.spoolFiles, running = None))
    val rows = LineBlocks.read(file)
    assert(rows.flatten === (0 until 410).map(n => s"row $n"))
    assert(rows.forall(_.map(TextRows.of(_).getSizeInBytes).sum <= 1300))
  }

  private def parts(world: BulkWorld): Vector[Vector[String]] =
    LinesInBlocks.read(world.parts.content(world.closed.head.handle.token))

  test("a part whose block fails to close releases the memory of its rows") {
    var begun = 0
    var fails = false
    class Failing(blockBytes: Long) extends LinesInBlocks(blockBytes) {
      override def describe: String = "failing"

      override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = {
        begun += 1
        new BlockThrough(super.block(out, directory)) {
          override def close(): Unit = if (fails) throw new IOException("cannot be closed")
        }
      }
    }
    val world = new BulkWorld(blockBytes = 4000, bulk = new Failing(_))

    // Shorter in the block than in memory: those that were to fill a block do not.
    def text(number: Int): String =
      if (number < 34) "x" * 100
      else if (number < 80) "y"
      else {
        assert(begun === 1, "the block that is open")
        assert(world.memory.usedBytes > 0)
        fails = true
        throw new IllegalStateException("no more rows")
      }
    intercept[IOException](world.epoch(100, text = text))
    assert(world.memory.usedBytes === 0)
  }
}

object BulkPartsSuite {

  /** Keeps no row. */
  object AtOnce extends BulkWriterFactory {
    override def create(out: BlockOutput): BulkWriter = new BulkWriter {
      override def write(row: InternalRow): Unit = out.write(s"${row.getString(0)}\n".getBytes)
      override def bufferedBytes: Long           = 0
      override def finish(): Unit                = ()
      override def close(): Unit                 = ()
    }
  }
}
