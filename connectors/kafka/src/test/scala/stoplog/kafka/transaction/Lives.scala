// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.nio.file.Files

import scala.collection.mutable
import scala.util.control.{ControlThrowable, NonFatal}

import org.apache.kafka.clients.producer.ProducerRecord

import stoplog.commit._
import stoplog.fault.{Faults, Step}
import stoplog.kafka.Broker
import stoplog.log.CommitLog
import stoplog.part.RunId
import stoplog.store.local.{Durability, LocalRecords}

/** One query over several lives, without an engine: each ends at a fault, or when all its epochs are done. What it has
  * open then stays open, as that of a process that was killed.
  */
final class Lives(broker: Broker, val topic: String, onLost: LostPart = LostPart.Fail) {
  private val root      = Files.createTempDirectory("stoplog-kafka-lives").toString
  private val ids       = TransactionalIds("stoplog", root, "main")
  private val pool      = new ProducerPool(Clock.system, keptMillis = Long.MaxValue)
  private val left      = mutable.Buffer.empty[AutoCloseable]
  private var committed = -1L

  /** The epochs that the engine knows to be committed. */
  def epochs: Long = committed + 1

  /** What all epochs up to now have to have written. */
  def rows: Vector[String] =
    (0L until epochs).flatMap(epoch => (0 until Lives.Tasks).flatMap(of(epoch, _))).toVector

  /** Goes on where the life before has ended. Answers whether it came to the end.
    *
    * @param between runs before each epoch's commit
    */
  def live(more: Int, faults: Faults = Faults.none, timeoutMillis: Long = 60000)(
      between: => Unit = ()
  ): Boolean = {
    val driver = new Life(faults, timeoutMillis)
    try {
      for (_ <- 1 to more) {
        driver.epoch(epochs)(between)
        committed += 1
      }
      driver.end()
      true
    } catch { case Lives.Killed => false }
  }

  /** A life of its own, one epoch after the other. */
  final class Life(faults: Faults = Faults.none, timeoutMillis: Long = 60000) {
    private val run       = RunId.random()
    private val settings  = broker.settings(timeoutMillis)
    private val committer = new KafkaCommitter(
      new Transactions(settings, Clock.system),
      topic,
      ids.isOfSink,
      onLost,
      timeoutMillis,
      Clock.system
    )
    private val driver = SinkDriver.ofPrepared(
      run,
      SinkIdentity(root, "main", "query"),
      SinkSettings(Map.empty, ""),
      new CommitLog(new LocalRecords(root, "main", Durability.Process, faults)),
      committer,
      SinkDriver.Choices(ForeignQuery.Refuse, onLost),
      SinkDriver.Tools(Clock.system, faults, Turn.semaphore(), Parallel.sequential, Retry.never)
    )
    left += committer

    def epoch(number: Long)(between: => Unit = ()): Unit = {
      val plan    = driver.begin(number, Lives.Tasks)
      val results = (0 until Lives.Tasks).map { slot =>
        val task = new PreparingTask[String](
          plan.forTask(slot, Attempt.First),
          () => writer(number),
          Clock.system,
          faults,
          mayStart = () => ()
        )
        // An engine asks no task of an epoch that is in the log.
        if (!plan.isCommitted(number)) of(number, slot).foreach(task.write)
        try task.commit()
        finally task.close()
      }
      between
      driver.commit(number, results)
    }

    def end(): Unit = driver.end(SinkDriver.Finish.KeepOpen)

    private def writer(number: Long) = {
      val use      = ProducerPool.Use(run, ids)
      val producer = pool.take(use, number).getOrElse(opened())
      new TransactionWriter[String](
        producer.begin(),
        row => new ProducerRecord(topic, row.getBytes),
        Some(number),
        pool.put(use, number, _)
      )
    }

    private def opened() = {
      val producer = new TransactionalProducer(settings, ids.next(run), Clock.system)
      left += producer
      producer
    }
  }

  /** Of dead processes, too. */
  def close(): Unit = left.foreach { each =>
    try each.close()
    catch { case NonFatal(_) => () }
  }

  private def of(epoch: Long, slot: Int): Seq[String] =
    (1 to Lives.RowsOfTask).map(row => s"$epoch-$slot-$row")
}

object Lives {
  val Tasks      = 2
  val RowsOfTask = 5

  /** The end of a process, which no handler of failures sees. */
  private object Killed extends ControlThrowable

  /** Dies when a step is passed for the n-th time. */
  def dying(step: Step, occurrence: Int): Faults = new Faults {
    private var seen = 0

    override def at(now: Step): Unit = if (now == step) {
      seen += 1
      if (seen == occurrence) throw Killed
    }
  }
}
