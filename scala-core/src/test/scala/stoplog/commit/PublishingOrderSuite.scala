// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import scala.util.control.NonFatal

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.StoplogException
import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.log.{CommitLog, LogFiles, LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.part.{FinishedPart, PartRows, Pending, Publish, RunId}
import stoplog.rolling.RollReason
import stoplog.sim.{FinishedOver, PartsOver}
import stoplog.sink.CommitOutcome
import stoplog.storage.{NewPart, PartLayout, PartStore, ReplacedFiles}
import stoplog.storage.local._
import stoplog.thread.{Clock, Outcomes, Parallel}

/** A driver hides and publishes the files of a record on several threads. Each order of these requests recovers to the
  * same files, whatever happens to the driver at any step.
  */
class PublishingOrderSuite extends AnyFunSuite {
  import PublishingOrderSuite._

  for {
    record <- Seq(Content.Epoch, Content.Replacement, Content.Compaction)
    event  <- Seq(Event.Dies, Event.Fails, Event.Sleeps)
  } test(s"any publishing order recovers to the same files: $record, driver $event at each step") {
    val orders = if (LongRun.isOn) record.allOrders else record.orders
    val runs   = for (order <- orders) yield {
      val steps = new Fixture(record).driven(order, stopAt = Int.MaxValue, event)
      (0 until steps).foreach(new Fixture(record).driven(order, _, event))
      steps
    }
    assert(runs.min > record.publish.size)
    info(s"${runs.size} orders, ${runs.sum} places to stop")
  }
}

private object PublishingOrderSuite {

  /** The content of the record that decides.
    *
    * @param replace the lines that go out of sight
    * @param publish the lines that become visible
    */
  sealed abstract class Content(
      val kind: RecordKind,
      val replace: Vector[String],
      val publish: Vector[String],
      val reason: RollReason
  ) extends Product
      with Serializable {

    /** Orders for the calls of `map`, one after the other: each order of the files to hide, and of those to publish. */
    def orders: Seq[Vector[Int]] = {
      val most = Orders.count(replace.size.max(publish.size))
      (0 until most).map(order => Vector(order, most - 1 - order))
    }

    /** Each order of the one with each order of the other. */
    def allOrders: Seq[Vector[Int]] =
      if (replace.isEmpty) orders
      else
        for {
          hide <- 0 until Orders.count(replace.size)
          show <- 0 until Orders.count(publish.size)
        } yield Vector(hide, show)
  }

  object Content {
    case object Epoch
        extends Content(RecordKind.Epoch(0), Vector.empty, Vector("one", "two", "three"), RollReason.Size)
    case object Replacement
        extends Content(
          RecordKind.Epoch(0),
          Vector("old", "older", "oldest"),
          Vector("one", "two", "three"),
          RollReason.Size
        )
    case object Compaction
        extends Content(
          RecordKind.Compact,
          Vector("one", "two", "three"),
          Vector("one\ntwo\nthree"),
          RollReason.Custom(LogRecord.CompactionReason)
        )
  }

  /** What happens to the driver at one step. */
  sealed trait Event extends Product with Serializable
  object Event {

    /** The process is gone. */
    case object Dies extends Event { override def toString: String = "dies" }

    /** The step throws, and the driver tries the other files. */
    case object Fails extends Event { override def toString: String = "fails" }

    /** A successor claims the log, and then the driver continues. */
    case object Sleeps extends Event { override def toString: String = "sleeps" }
  }

  /** All orders of a few items, by their numbers. */
  object Orders {
    def count(items: Int): Int = (1 to items).product

    def of(number: Int, items: Int): Vector[Int] =
      (0 until items).toVector.permutations.drop(number % count(items)).next()
  }

  /** One item after the other, in the given order of each call; results and failures are those of the items' order. */
  final class InOrder(orders: Vector[Int]) extends Parallel {
    private var calls = 0

    override def map[A, B](items: Seq[A])(action: A => B): Seq[B] = {
      val order = orders(calls.min(orders.size - 1))
      if (items.sizeIs > 1) calls += 1
      val turns   = Orders.of(order, items.size)
      val results = turns.map { n =>
        n -> (try Right(action(items(n)))
        catch { case NonFatal(e) => Left(e) })
      }.toMap
      Outcomes.all(items.indices.toVector.map(results))
    }

    override def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B] = map(items)(action)
    override def uninterrupted[A](action: => A): A                                 = action
  }

  // Steps of this suite: the storage has not been called yet.
  case object BeforePart extends Step("beforePart", "the next part is not visible")
  case object BeforeHide extends Step("beforeHide", "the next replaced file is visible")

  /** What a thread of a dead process gets thrown: no handler takes it for a failure. */
  object Dead extends VirtualMachineError("the process is dead") {
    override def fillInStackTrace(): Throwable = this
  }

  /** A directory with the files that the record is to replace. */
  final class Fixture(content: Content) {
    private val root     = Files.createTempDirectory("stoplog-order")
    private val identity = SinkIdentity(root.toString, "main", "query")
    private val state    = SinkState(QueryEpoch("query", Some(0)), Vector.empty, 0, Map.empty)
    private val replaced = content.replace.zipWithIndex.map { case (line, n) =>
      val file = root.resolve(s"b/old-$n.txt")
      Files.createDirectories(file.getParent)
      Files.write(file, s"$line\n".getBytes(UTF_8))
      FinishedPart("b", s"old-$n.txt", line.length + 1L, 1, 0)
    }

    private def files = LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process)

    private def replacedSet: ReplacedSet = ReplacedSet
      .of(replaced, new ReplacedFiles(files, "main"))
      .fold(file => throw new AssertionError(s"$file cannot be hidden"), set => set)

    /** Returns the number of steps that the driver passed. */
    def driven(order: Vector[Int], stopAt: Int, event: Event): Int = {
      var passed = 0
      val driver = ledger(
        order,
        new Faults {
          override def at(step: Step): Unit = {
            passed += 1
            refuseBoth(s"$content in order $order at $step")
            if (passed == stopAt + 1) event match {
              case Event.Dies   => throw Dead
              case Event.Fails  => throw new InjectedFault(step)
              case Event.Sleeps => succeed(order)
            }
          }
        }
      )
      val pending = written()
      try driver.settle(driver.append(Ledger.Entry(content.kind, state, pending, replace = replacedSet)))
      catch {
        case Dead                                                                               => ()
        case _: InjectedFault if event == Event.Fails                                           => ()
        case e: StoplogException if event == Event.Sleeps && e.getCondition == "STOPLOG_FENCED" => ()
      }
      succeed(order)
      check(s"$content in order $order, $event at step $stopAt")
      LocalUnderTest.remove(root)
      passed
    }

    /** Another run carries out the record in the opposite order. */
    private def succeed(order: Vector[Int]): Unit = {
      ledger(order.reverse, Faults.none).claim(_ => state)
      ()
    }

    private def check(what: String): Unit = {
      val names  = LocalUnderTest.visible(root)
      val lines  = names.toVector.map(name => Files.readString(root.resolve(name))).flatMap(_.linesIterator)
      val log    = new CommitLog(records(Faults.none))
      val stands = log.all().exists(record => record.publish.nonEmpty && !log.isCalledOff(record))
      val wanted = if (stands) content.publish else content.replace
      if (lines.sorted != wanted.flatMap(_.linesIterator).sorted)
        throw new AssertionError(s"$what: $lines are visible, of $names")
      val hidden = new ReplacedFiles(files, "main").hiddenFor()
      if (hidden.nonEmpty) throw new AssertionError(s"$what: files stay hidden for records $hidden")
    }

    /** Readers never see what is replaced beside what replaces it. */
    private def refuseBoth(where: String): Unit = {
      val names = Option(root.resolve("b").toFile.list()).toVector.flatten
      if (names.exists(_.startsWith("old")) && names.exists(_.startsWith("new")))
        throw new AssertionError(s"$where: $names are visible together")
    }

    private def written(): Vector[Pending] = content.publish.zipWithIndex.map { case (line, n) =>
      val output = store(Faults.none).create(NewPart("b", s"new-$n.txt", Samples.mine))
      val bytes  = s"$line\n".getBytes(UTF_8)
      output.write(bytes, 0, bytes.length)
      Pending("b", s"new-$n.txt", output.finish(), bytes.length.toLong, PartRows(1, 0, 0), content.reason)
    }

    private def ledger(order: Vector[Int], faults: Faults): Ledger = new Ledger(
      RunId.random(),
      identity,
      SinkStores
        .of(new CommitLog(records(faults)), store(faults), replaced = finished(faults)),
      LostPart.Fail,
      MemoryNotes.unasked,
      DriverTools(Clock.system, faults, DriverLock.semaphore(), new InOrder(order), StorageRetry.never)
    )

    private def records(faults: Faults)          = new LogFiles(files, "main", faults)
    private def store(faults: Faults): PartStore =
      new PartsOver(
        new LocalPartStore(root.toString, "main", PartLayout.Staging("main"), LocalForcing.Process, faults)
      ) {
        override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
          faults.at(BeforePart)
          super.publish(part, sizeBytes, finishedPath)
        }
      }

    private def finished(faults: Faults): ReplacedFiles =
      new FinishedOver(new ReplacedFiles(files, "main")) {
        override def hide(seq: Long, path: String): Unit = {
          faults.at(BeforeHide)
          super.hide(seq, path)
        }
      }
  }
}
