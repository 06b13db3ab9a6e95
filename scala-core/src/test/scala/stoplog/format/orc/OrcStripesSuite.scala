// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.nio.file.{Files, Path}
import java.util.SplittableRandom

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.execution.datasources.orc.OrcUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Rolls
import stoplog.format.bulk.{BlockFormat, BulkWorld, GrowingPart, PartInBlocks, PartLife, RandomTables}
import stoplog.format.orc.OrcParts.{reader, saved}
import stoplog.matrix.Cells
import stoplog.rolling.RollReason

/** When a stripe is full, and that it reaches the part when it is finished and not before. */
class OrcStripesSuite extends AnyFunSuite {

  private val schema = StructType.fromDDL("id BIGINT, name STRING, text STRING")

  private val isLong = Cells.inLongRun

  for {
    (rows, textBytes) <- Seq(900000 -> 20, 40000 -> 1000, 12000 -> 10000)
    codec             <- if (isLong) Seq("zstd", "none") else Seq("zstd")
  }
    test(s"stripes are as large as in a batch job (text of $textBytes bytes, $codec)") {
      val options = Seq("compression" -> codec, "orc.stripe.size" -> (8 << 20).toString)
      val theirs  = stripes(OrcParts.sparks(schema, made(rows, textBytes), options: _*))
      val ours    = stripes(saved(OrcParts.filled(schema, made(rows, textBytes), options: _*)))
      assert(ours.size === theirs.size)
      assert(ours.size > 2)
      for ((a, b) <- ours.zip(theirs).init) assert(math.abs(a - b) < 0.05 * b, s"$ours against $theirs")
    }

  for {
    seed   <- 1 to 2
    unsafe <- Seq(true, false)
  }
    test(s"a stripe of all types equals Spark's sink byte for byte (seed $seed, unsafe = $unsafe)") {
      val source = new OrcTables(seed.toLong)
      val nested = source.schema().map(_.dataType)
      val types  = StructType((OrcTables.Flat ++ nested).zipWithIndex.map { case (kind, at) =>
        StructField(s"c$at", kind)
      })
      val plain  = RandomTables.internal(types, source.rows(types, 3000))
      val rows   = if (unsafe) RandomTables.unsafe(types, plain) else plain
      val theirs = OrcParts.sparks(types, rows.iterator)
      val ours   = OrcParts.filled(types, rows.iterator)
      val stripe = reader(theirs).getStripes.asScala
      assert(stripe.size === 1)
      val end = stripe.head.getOffset.toInt + stripe.head.getLength.toInt
      assert(ours.take(end).sameElements(Files.readAllBytes(theirs).take(end)))
    }

  test("a stripe counts as large from half of its size") {
    val format = OrcParts.format(schema, "orc.stripe.size" -> (8 << 20).toString)
    format.open(schema)
    assert(format.largeBytes === (4L << 20))
  }

  test("only columns with abandoned dictionaries are direct in later blocks") {
    val types =
      StructType.fromDDL("id BIGINT, few STRING, s STRUCT<many: STRING, few: STRING>, all ARRAY<STRING>")
    val rows = (0 until 3000).map { i =>
      Row(i.toLong, s"name ${i % 10}", Row(s"name $i", s"name ${i % 10}"), Seq(s"a $i", s"b $i"))
    }
    val one    = RandomTables.internal(types, rows.take(1000))
    val blocks =
      Seq(
        one,
        one,
        RandomTables.internal(types, rows.drop(1000).map(_ => Row(1L, "x", Row("x", "x"), Seq("x"))))
      )
    val format = OrcParts.format(types)
    val part   = blocks.foldLeft(PartInBlocks())(_.block(OrcParts.rebuilt(format, types), _))
    val schema = OrcUtils.orcTypeDescription(types)
    assert(
      OrcWriting.DirectColumns(schema, StripeDirectory.of(part.directory).encodings) === Seq("s.many", "all")
    )
    assert(OrcWriting.DirectColumns(schema, Nil) === Nil)
  }

  test("a failed row and an abandoned block leave no bytes in the part") {
    val format = OrcParts.format(schema)
    format.open(schema)
    val out    = new GrowingPart.End(Array.empty)
    val failed = format.block(out, Array.empty)
    made(5000, 100).foreach(failed.write)
    intercept[Exception](failed.write(new GenericInternalRow(Array[Any]("no number", null, null))))
    failed.close()
    failed.close()
    assert(out.position === 0)
  }

  test("bufferedBytes grows with the batches of orc-core up to a full stripe") {
    val format = OrcParts.format(schema, "orc.stripe.size" -> (8 << 20).toString)
    format.open(schema)
    val writer = format.block(new GrowingPart.End(Array.empty), Array.empty)
    val counts = made(16000, 1000).map { row => writer.write(row); writer.bufferedBytes }.toSeq
    assert(counts.head === 0)
    assert(counts(1100) > 1000000)
    assert(counts(2100) > 2000000)
    assert(counts(2100) < format.blockBytes)
    assert(counts.exists(_ >= format.blockBytes))
    writer.close()
  }

  test("a small first part without a size estimate does not make later parts small") {
    val limit  = 128L << 20
    val policy = Rolls(
      beforeRow = part => Option.when(part.sizeBytes > limit)(RollReason.Size),
      onEpochEnd = _ => Some(RollReason.End)
    ).policy
    val world = new BulkWorld(limit, policy, bulk = _ => texts(stripeBytes = (64 << 20) + 1))
    for (rows <- Seq(10, 50000)) world.epoch(rows, life = PartLife.OneEpoch)
    assert(world.closed.map(_.records) === Vector(10, 50000))
  }

  test("rows larger than a mebibyte per batch still fill stripes") {
    val world = new BulkWorld(8 << 20, bulk = _ => texts(stripeBytes = (8 << 20) + 1))
    world.epoch(6000, text = n => f"$n%08d" * 256)
    assert(world.onlyOpen.validBytes > 0)
    assert(world.onlyOpen.spooled.note.toLong < (10 << 20))
  }

  /** Of one column, with stripes of a size that no other test has, or what that one has learned would count. */
  private def texts(stripeBytes: Int): BlockFormat = {
    val columns = new StructType().add("value", StringType)
    val format  = OrcParts.format(columns, "orc.stripe.size" -> stripeBytes.toString)
    format.open(columns)
    format
  }

  private def stripes(file: Path): Seq[Long] = {
    val sizes = reader(file).getStripes.asScala.map(_.getLength).toSeq
    Files.delete(file)
    sizes
  }

  private def made(count: Int, textBytes: Int): Iterator[InternalRow] = {
    val random = new SplittableRandom(1) // without a lock: it makes 100 MB
    Iterator.range(0, count).map { i =>
      val text = new Array[Byte](textBytes)
      random.nextBytes(text)
      for (at <- text.indices) text(at) = (32 + (text(at) & 63)).toByte
      val name = UTF8String.fromString(s"name ${i % 100}")
      new GenericInternalRow(Array[Any](i.toLong, name, UTF8String.fromBytes(text)))
    }
  }
}
