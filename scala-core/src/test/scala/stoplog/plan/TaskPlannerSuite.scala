// SPDX-License-Identifier: Apache-2.0
package stoplog.plan

import scala.collection.concurrent.TrieMap
import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.plan.TaskPlannerSuite._
import stoplog.format.TaskSerialization
import stoplog.part.Open

class TaskPlannerSuite extends AnyFunSuite {

  private def planOf(handed: Map[Int, Vector[Open]]): EpochPlan =
    EpochPlan(mine, seq = 12, lastEpoch = Some(3), slots = 50, handed, firstPart = 40)

  private def part(number: Int, bytes: Int = 100): Open = open(s"part-$number.txt", token = "x" * bytes)

  private def require(arrived: TaskPlans, plan: EpochPlan): Unit =
    for (slot <- 0 until plan.slots)
      assert(arrived.forTask(slot, Attempt.First) === plan.forTask(slot, Attempt.First))

  test("a large plan is sent in pieces, and a task fetches only its own piece") {
    val plan    = planOf((0 until 40).map(slot => slot -> Vector(part(slot, bytes = 30000))).toMap)
    val engine  = new Engine
    val arrived = TaskSerialization.toTask(new TaskPlanner().next(plan, engine.carry))
    assert(
      engine.carried.size === 5 && engine.carried.forall(_ <= (256 << 10)),
      "eight slots of 30 kB in each"
    )
    for (slot <- 0 until 40) {
      engine.asked.clear()
      assert(arrived.forTask(slot, Attempt.First) === plan.forTask(slot, Attempt.First))
      assert(engine.asked.toSet === Set(slot / 8))
    }
  }

  test("a small plan is sent inline") {
    val plan = planOf(Map(0 -> Vector(part(1)), 3 -> Vector(part(2), part(3))))
    require(TaskSerialization.toTask(new TaskPlanner().next(plan, _ => fail("it is small"))), plan)
  }

  test("an epoch with few changed parts sends few bytes, regardless of the open parts") {
    var handed  = (0 until 50).map(slot => slot -> Vector.tabulate(100)(n => part(slot * 100 + n))).toMap
    val engine  = new Engine
    val planner = new TaskPlanner()
    planner.next(planOf(handed), engine.carry)
    val whole = engine.carried.sum
    assert(whole > (1 << 20))
    engine.carried.clear()
    for (epoch <- 1 to 10) {
      handed = handed.updated(epoch, handed(epoch).updated(epoch * 7, part(epoch)))
      require(TaskSerialization.toTask(planner.next(planOf(handed), engine.carry)), planOf(handed))
    }
    assert(engine.carried.isEmpty, "the changes go with the object")
  }

  test("changed neighbours and a new order do not resend the other parts") {
    val parts   = Vector.tabulate(2000)(n => part(n, bytes = 1000))
    val engine  = new Engine
    val planner = new TaskPlanner()
    planner.next(planOf(Map(0 -> parts)), engine.carry)
    engine.carried.clear()
    val touched = parts.slice(500, 600).map(part => withRows(part)(_.copy(count = 77)))
    for (now <- Seq(touched ++ parts.take(500) ++ parts.drop(600), parts.reverse)) {
      val plan = planOf(Map(0 -> now))
      require(TaskSerialization.toTask(planner.next(plan, engine.carry)), plan)
    }
    assert(engine.carried.isEmpty, "the changes go with the object")
  }

  test("the bytes sent are proportional to the changes over many epochs") {
    val random  = new Random(7)
    var handed  = (0 until 50).map(slot => slot -> Vector.tabulate(100)(n => part(slot * 100 + n))).toMap
    val engine  = new Engine
    val planner = new TaskPlanner(inlineBytes = 1000)
    planner.next(planOf(handed), engine.carry)
    val whole = engine.carried.sum
    engine.carried.clear()
    for (epoch <- 1 to 500) {
      for (_ <- 1 to 10) {
        val slot = random.nextInt(50)
        handed = handed.updated(slot, handed(slot).updated(random.nextInt(100), part(epoch)))
      }
      planner.next(planOf(handed), engine.carry)
    }
    val anEpoch = engine.carried.map(_.toLong).sum / 500
    assert(anEpoch < whole / 10)
    assert(engine.held <= 3L * whole)
  }

  test("each task receives its planned parts after any sequence of changes") {
    for (seed <- 1 to 60) {
      val random  = new Random(seed)
      val engine  = new Engine
      val planner =
        new TaskPlanner(inlineBytes = 400L * random.nextInt(20), pieceBytes = 3000)
      var handed  = Map.empty[Int, Vector[Open]]
      var next    = 0
      def fresh() = {
        next += 1
        part(next, bytes = random.nextInt(300))
      }
      for (_ <- 1 to 40) {
        val changed = random.nextInt(5) match {
          case 0 => handed
          case 1 => handed.map { case (slot, parts) => slot -> random.shuffle(parts) }
          case 2 => handed.filter(_ => random.nextInt(4) > 0)
          case _ =>
            val slot  = random.nextInt(8)
            val parts = handed.getOrElse(slot, Vector.empty)
            val kept  = parts.filter(_ => random.nextInt(10) > 0)
            val moved = kept.map(part => if (random.nextInt(10) == 0) fresh() else part)
            handed.updated(slot, moved ++ Vector.fill(random.nextInt(6))(fresh()))
        }
        handed = changed.filter(_._2.nonEmpty)
        val plan = planOf(handed)
        require(TaskSerialization.toTask(planner.next(plan, engine.carry)), plan)
      }
      planner.close()
      assert(engine.held === 0)
    }
  }
}

object TaskPlannerSuite {

  /** What an engine keeps apart from the object that it sends. */
  final class Engine {
    val carried: mutable.Buffer[Int] = mutable.Buffer.empty // bytes
    val asked: mutable.Buffer[Int]   = mutable.Buffer.empty // numbers

    private val number = numbers.getAndIncrement()
    engines.update(number, this)
    private[stoplog] val kept = TrieMap.empty[Int, Array[Byte]]

    def held: Long = kept.valuesIterator.map(_.length.toLong).sum

    def carry(bytes: Array[Byte]): TaskPlans.Carried = {
      kept.update(next, bytes)
      carried += bytes.length
      next += 1
      new InEngine(number, next - 1)
    }

    private var next = 0
  }

  private val numbers = new java.util.concurrent.atomic.AtomicInteger()
  private val engines = TrieMap.empty[Int, Engine]

  private final class InEngine(engine: Int, piece: Int)
      extends (() => Array[Byte])
      with AutoCloseable
      with Serializable {
    override def apply(): Array[Byte] = {
      engines(engine).asked += piece
      engines(engine).kept(piece)
    }

    override def close(): Unit = assert(engines(engine).kept.remove(piece).isDefined, "twice")
  }
}
