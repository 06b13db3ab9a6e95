// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit._
import stoplog.part.BlockOutput
import stoplog.plan.Attempt
import stoplog.rolling.{RollReason, RollingPolicy}
import stoplog.thread.SharedMemory
import stoplog.writing.{BadRow, OnBadRow}

/** Epochs that bring enough rows for a block of their own, among others that do not. */
class LargeEpochsSuite extends AnyFunSuite {
  private val RowBytes = 24L // of Spark's row of "row 123"

  /** Blocks of 200 rows, of which 100 are enough for an epoch. */
  private def blocks(bytes: Long): LineBlocks = new LineBlocks(bytes, bytes, bytes / 2)

  private def world(
      policy: RollingPolicy = Rolls.never,
      memory: SharedMemory = new SharedMemory(1L << 30),
      rows: Long = 200
  ) = new BulkWorld(rows * RowBytes, policy, memory, blocks)

  private def text(number: Int) = f"row $number%04d"

  private def ended(world: BulkWorld): Vector[Vector[String]] =
    LineBlocks.read(world.endOf(world.onlyOpen, world.format()))

  private def allRows(world: BulkWorld): Seq[String] = (0 until world.next).map(text)

  test("a large epoch ends its block and spools no rows") {
    val large = world()
    for (epoch <- 1 to 3) {
      large.epoch(150, text = text)
      assert(large.onlyOpen.spooled.storageBytes === 0)
      assert(large.onlyOpen.validBytes === epoch * 150 * RowBytes)
      val beside = large.onlyOpen.spooled.files.map(large.spoolFiles.read(_).readAllBytes())
      assert(beside.flatMap(LineBlocks.beside).isEmpty)
    }
    val written = ended(large)
    assert(written.flatten === allRows(large))
    assert(written.map(_.size) === Seq(150, 150, 150))
  }

  test("small epochs wait until blocks are full") {
    val small = world()
    for (_ <- 1 to 10) small.epoch(90, text = text)
    val written = ended(small)
    assert(written.flatten === allRows(small))
    assert(written.init.forall(_.size >= 190), written.map(_.size))
  }

  test("waiting rows join the next large epoch's block and do not enlarge a small epoch") {
    val mixed = world()
    for (rows <- Seq(60, 70)) {
      mixed.epoch(rows, text = text)
      assert(mixed.onlyOpen.validBytes === 0, "130 rows are enough only for one epoch")
    }
    for (rows <- Seq(60, 20, 120, 10)) mixed.epoch(rows, text = text)
    val written = ended(mixed)
    assert(written.flatten === allRows(mixed))
    assert(written.map(_.size) === Seq(200, 130, 10))
  }

  test("rows are no longer kept after their epoch becomes large") {
    val memory = new SharedMemory(1L << 30)
    val large  = world(memory = memory, rows = 200000)
    var most   = 0L
    large.epoch(
      199000,
      text = { number =>
        if (number % 1000 == 0) most = most.max(memory.usedBytes)
        text(number % 10000)
      }
    )
    assert(most >= 99000 * (RowBytes + RowPage.LengthBytes), "rows wait until there are enough")
    assert(most < 110000 * (RowBytes + RowPage.LengthBytes) + Spool.PageBytes)
    assert(memory.usedBytes === 0)
  }

  test("after a large epoch, rows go straight to the block in each later task") {
    val memory = new SharedMemory(1L << 30)
    val large  = world(memory = memory, rows = 200000)
    large.epoch(150000, text = number => text(number % 10000))
    var most = 0L
    large.epoch(
      150000,
      text = { number =>
        if (number % 1000 == 0) most = most.max(memory.usedBytes)
        text(number % 10000)
      }
    )
    assert(most < 10000 * (RowBytes + RowPage.LengthBytes) + Spool.PageBytes)
    assert(ended(large).map(_.size) === Seq(150000, 150000))
  }

  test("in a part's first epoch, a task's sole part keeps a quarter block of rows") {
    val memory             = new SharedMemory(1L << 30)
    var most               = 0L
    def wide(n: Int)       = { most = most.max(memory.usedBytes); text(n) + "x" * (1 << 16) }
    def large(): BulkWorld = new BulkWorld(128L << 20, memory = memory, bulk = blocks)
    val alone              = large()
    alone.epoch(640, text = wide)
    assert(most > (15 << 20) && most < (18 << 20), "of 40 MiB")
    assert(alone.onlyOpen.spooled.storageBytes === 0)
    alone.epoch(640, text = wide)
    assert(alone.onlyOpen.spooled.storageBytes > (39 << 20), "the epoch before was no large one")
    val two = large()
    two.epoch(800, bucket = n => s"b${n % 2}", text = wide)
    assert(two.open.map(_.validBytes) === Vector(0, 0), "each has 25 MiB")
  }

  test("a small epoch after a large epoch writes a small block, and the next waits") {
    val mixed = world()
    for (rows <- Seq(150, 2, 150, 20)) mixed.epoch(rows, text = text)
    for (_ <- 1 to 3) {
      mixed.epoch(20, text = text)
      assert(mixed.onlyOpen.spooled.storageBytes > 0)
    }
    val written = ended(mixed)
    assert(written.flatten === allRows(mixed))
    assert(written.map(_.size) === Seq(150, 152, 20, 60))
  }

  test("buckets that are large in turn do not make each other's blocks small") {
    val turns = world()
    for (_ <- 1 to 4) turns.epoch(600, bucket = number => s"b${number % 3}", text = text)
    for (part <- turns.open) {
      val written = LineBlocks.read(turns.endOf(part, turns.format()))
      assert(written.flatten === allRows(turns).indices.filter(n => s"b${n % 3}" == part.bucket).map(text))
      assert(written.init.forall(_.size >= 100), written.map(_.size))
    }
  }

  test("rows of large epochs are written to a block once") {
    var written = 0
    val counted = new BulkWorld(
      200 * RowBytes,
      bulk = bytes =>
        new LineBlocks(bytes, bytes, bytes / 2) {
          override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter =
            new BlockThrough(super.block(out, directory)) {
              override def write(row: InternalRow): Unit = {
                written += 1
                super.write(row)
              }
            }
        }
    )
    counted.epoch(1, text = text) // learns nothing yet
    for (_ <- 1 to 5) counted.epoch(150, text = text)
    assert(written <= counted.next + 100, "but for the rows that the first look threw away")
  }

  test("a policy sees the bytes of rows that only the open block contains") {
    val limit  = 180 * RowBytes
    val policy =
      Rolls(beforeRow = part => Option.when(part.sizeBytes + RowBytes > limit)(RollReason.Size)).policy
    val rolled = world(policy)
    for (_ <- 1 to 4) rolled.epoch(450, text = text)
    val parts = rolled.closed.map(part => LineBlocks.read(rolled.parts.content(part.handle.token)).flatten)
    assert(parts.map(_.size).distinct === Seq(180))
    assert(parts.flatten ++ rolled.open.flatMap(_ => ended(rolled).flatten) === allRows(rolled))
  }

  test("a repeated attempt starts from the record") {
    val repeated = world()
    for (rows <- Seq(150, 30, 170, 120)) {
      val before = (repeated.open, repeated.next)
      repeated.epoch(rows, text = text)
      repeated.open = before._1
      repeated.next = before._2
      repeated.epoch(rows, Attempt.Repeated, text = text)
    }
    assert(ended(repeated).flatten === allRows(repeated))
  }

  test("a rejected row removes no other row, before and after the epoch becomes large") {
    val Bad       = Set(20, 140, 141, 190, 420)
    val rejecting = new BulkWorld(200 * RowBytes, bulk = new Refusing(_), onBadRow = OnBadRow.Reject)
    for (_ <- 1 to 4) {
      rejecting.epoch(150, text = number => if (Bad(number)) "bad" else text(number))
      assert(rejecting.onlyOpen.spooled.storageBytes === 0, "the epoch has brought enough")
    }
    assert(ended(rejecting).flatten === (0 until 600).filterNot(Bad).map(text))
  }

  test("with onBadRow=reject, two large buckets do not displace the block for each row") {
    for (bad <- Seq(Set.empty[Int], Set(20, 151, 301, 333, 390))) {
      var begun     = 0
      val rejecting = new BulkWorld(
        200 * RowBytes,
        bulk = bytes =>
          new Refusing(bytes) {
            override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = {
              begun += 1
              super.block(out, directory)
            }
          },
        onBadRow = OnBadRow.Reject
      )
      def bucket(number: Int) = s"b${number % 2}"
      rejecting.epoch(398, bucket = bucket, text = number => if (bad(number)) "bad" else text(number))
      if (bad.isEmpty) assert(begun < 10)
      for (part <- rejecting.open) {
        val wanted = (0 until 398).filterNot(bad).filter(bucket(_) == part.bucket).map(text)
        assert(LineBlocks.read(rejecting.endOf(part, rejecting.format())).flatten === wanted)
      }
    }
  }

  test("a task that failed inside a large block cannot end the block") {
    val failing = new BulkWorld(200 * RowBytes, bulk = new Refusing(_))
    failing.epoch(50, text = text)
    val before = failing.open
    intercept[BadRow](failing.epoch(150, text = number => if (number == 190) "bad" else text(number)))
    assert(failing.open === before)
    failing.next = 50
    failing.epoch(150, Attempt.Repeated, text = text)
    assert(ended(failing).flatten === allRows(failing))
  }

  test("all rows are read in order for random epochs, buckets, memory and part sizes") {
    for (seed <- 1 to 40) {
      val random  = new Random(seed.toLong)
      val buckets = 1 + random.nextInt(3)
      val memory  = new SharedMemory(Seq(1L << 30, 20000L, 0L)(random.nextInt(3)))
      val most    = if (random.nextBoolean()) Long.MaxValue else 1000 + random.nextInt(20000).toLong
      val policy  = Rolls(beforeRow = part => Option.when(part.sizeBytes > most)(RollReason.Size)).policy
      val any     = world(policy, memory)
      for (_ <- 1 to 8) {
        val attempt = if (random.nextInt(4) == 0) Attempt.Repeated else Attempt.First
        any.epoch(
          50 + random.nextInt(650),
          attempt,
          bucket = number => s"b${number / 7 % buckets}",
          text = text
        )
        assert(memory.usedBytes === 0)
      }
      val closed = any.closed.map(part => part.bucket -> any.parts.content(part.handle.token))
      val open   = any.open.map(part => part.bucket -> any.endOf(part, any.format()))
      for ((bucket, files) <- (closed ++ open).groupBy(_._1)) {
        val wanted = (0 until any.next).filter(number => s"b${number / 7 % buckets}" == bucket).map(text)
        assert(files.map(_._2).flatMap(LineBlocks.read(_).flatten) === wanted, s"seed $seed, $bucket")
      }
    }
  }

  /** Refuses a row, and can take no other then. */
  private class Refusing(bytes: Long) extends LineBlocks(bytes, bytes, bytes / 2) {
    override def describe: String = s"refusing ${super.describe}"

    override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter =
      new BlockThrough(super.block(out, directory)) {
        private var isTorn                         = false
        override def write(row: InternalRow): Unit = {
          require(!isTorn, "a block that refused a row takes another one")
          isTorn = row.getString(0) == "bad"
          require(!isTorn)
          super.write(row)
        }
      }
  }
}
