package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit._
import stoplog.fault.Faults
import stoplog.part.{Open, PartNaming, Pending}
import stoplog.rolling.RollingPolicy
import stoplog.thread.SharedMemory

class BulkPartsSuite extends AnyFunSuite {

  private val schema = new StructType().add("value", StringType)

  private final class World(blockBytes: Long, policy: RollingPolicy = Rolls.never) {
    val parts                                                   = new MemoryParts
    val sides                                                   = new MemorySides
    private val clock                                           = new ManualClock(0)
    private var open                                            = Vector.empty[Open]
    var closed                                                  = Vector.empty[Pending]
    private var nextPart                                        = 0L
    var next                                                    = 0
    def format(life: PartLife = PartLife.ManyEpochs): BulkParts = {
      val sink = BulkSink(BulkFormats.Own, schema, new LinesInBlocks(blockBytes), life)
      new BulkParts(sink, identity, sides)
    }

    /** An epoch of a task of its own, in a process of its own as far as the format can tell. */
    def epoch(
        rows: Int,
        attempt: Attempt = Attempt.First,
        life: PartLife = PartLife.ManyEpochs
    ): TaskResult = {
      val plan   = EpochPlan(Samples.mine, 0, None, 1, Map(0 -> open), nextPart).forTask(0, attempt)
      val writer = new TaskWriter[InternalRow](
        plan,
        parts,
        format(life),
        policy,
        PartNaming("part", ".blocks"),
        100,
        clock,
        Faults.none,
        _ => (),
        () => (),
        new Sides(sides, Faults.none)
      )
      (1 to rows).foreach { _ =>
        writer.write("b", InternalRow(UTF8String.fromString(s"row $next")))
        next += 1
      }
      val result = writer.commit()
      open = result.open.map(part => stoplog.log.RecordRoundTrip(part))
      closed ++= result.closed
      nextPart = result.nextPart
      result
    }

    def onlyOpen: Open = open match {
      case Vector(part) => part
      case other        => fail(s"open: $other")
    }

    /** As the driver does it. */
    def end(): Vector[Vector[String]] = {
      val part = onlyOpen
      val live = LivePartAccess.end(part, format(), parts)
      LinesInBlocks.read(parts.content(live.token))
    }
  }

  test("blocks are as large as they should be, whatever the epochs, and all rows are there in order") {
    for (rowsOfEpoch <- Seq(3, 100, 1000)) {
      val world = new World(blockBytes = 2000)
      while (world.next < 3000) world.epoch(rowsOfEpoch)
      val blocks = world.end()
      assert(blocks.flatten === (0 until world.next).map(n => s"row $n"))
      val sizes = blocks.map(_.map(_.length + 1).sum)
      assert(sizes.init.forall(size => size >= 1900 && size <= 2000 + 100 * 10), s"$rowsOfEpoch: $sizes")
    }
  }

  test("rows that fill no block are in side files, of which there are few") {
    val world = new World(blockBytes = 1L << 40)
    (1 to 600).foreach(_ => world.epoch(3))
    assert(world.onlyOpen.validBytes === 0)
    assert(world.onlyOpen.beside.files.size < 48)
    assert(world.end().flatten === (0 until 1800).map(n => s"row $n"))
  }

  test("side files are let go when their rows are in a block") {
    val world = new World(blockBytes = 5000)
    (1 to 200).foreach(_ => world.epoch(10))
    assert(world.onlyOpen.beside.files.map(_.sizeBytes).sum < 5000)
    assert(world.onlyOpen.validBytes > 5000)
  }

  test("an attempt that is repeated begins where the record is") {
    val world = new World(blockBytes = 500)
    world.epoch(100)
    world.epoch(90, Attempt.Repeated)
    world.epoch(10)
    assert(world.end().flatten === (0 until 200).map(n => s"row $n"))
  }

  test("a policy sees the bytes of rows that no block has taken yet") {
    val world = new World(
      blockBytes = 1L << 40,
      Rolls(beforeRow = part => Option.when(part.sizeBytes > 4000)(stoplog.rolling.RollReason.Size)).policy
    )
    while (world.closed.isEmpty) world.epoch(1)
    val file = parts(world)
    assert(file.flatten === file.flatten.indices.map(n => s"row $n"))
  }

  test("memory is given back at the end of an epoch, whether parts stay open or not") {
    val world = new World(blockBytes = 5000, Rolls.atRecords(150))
    (1 to 20).foreach(_ => world.epoch(100))
    assert(SharedMemory.ofRows.usedBytes === 0)
  }

  test("a part that ends with its epoch is written at once") {
    val world =
      new World(blockBytes = 700, Rolls(onEpochEnd = _ => Some(stoplog.rolling.RollReason.End)).policy)
    world.epoch(500, life = PartLife.OneEpoch)
    assert(world.sides.staged().isEmpty)
    assert(parts(world).flatten === (0 until 500).map(n => s"row $n"))
  }

  private def parts(world: World): Vector[Vector[String]] =
    LinesInBlocks.read(world.parts.content(world.closed.head.handle.token))
}
