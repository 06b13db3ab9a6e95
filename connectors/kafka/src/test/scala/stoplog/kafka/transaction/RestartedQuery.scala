// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.util.control.{ControlThrowable, NonFatal}

import org.apache.commons.io.FileUtils
import org.apache.hadoop.conf.Configuration
import org.apache.kafka.clients.producer.ProducerRecord

import stoplog.commit.LostPart
import stoplog.fault.{Faults, Step}
import stoplog.kafka.Broker
import stoplog.kafka.client.ProducerSettings
import stoplog.log.{CommitLog, LogFiles}
import stoplog.matrix.PreparedProcess
import stoplog.part.RunId
import stoplog.storage.local.{LocalFileStore, LocalForcing}
import stoplog.thread.Clock
import stoplog.twophase.TwoPhaseSettings

/** One query over several lives, without an engine: each ends at a fault, or when all its epochs are done. What it has
  * open then stays open, as that of a process that was killed.
  *
  * @param path the text of the log's path, which may mean another place elsewhere
  * @param root the directory of the log
  */
final class RestartedQuery(
    broker: Broker,
    val topic: String,
    onLost: LostPart = LostPart.Fail,
    path: Option[String] = None,
    val root: Path = Files.createTempDirectory("stoplog-kafka-lives")
) {

  /** Of the next life. */
  var ids: TransactionalIds = idsAt(path.getOrElse(root.toString))
  private val pool          = new ProducerPool(Clock.system, keptMillis = Long.MaxValue)
  private val left          = mutable.Buffer.empty[AutoCloseable]
  private var committed     = -1L

  /** The epochs that the engine knows to be committed. */
  def epochs: Long = committed + 1

  /** Returns the ids of a query whose log has this location. */
  def idsAt(location: String): TransactionalIds =
    TransactionalIds("stoplog", TwoPhaseSettings.place(location, new Configuration), "main")

  /** Returns the query of a copy of the log in another place, with another topic. */
  def copied(topic: String): RestartedQuery = {
    val there = Files.createTempDirectory("stoplog-kafka-copy")
    FileUtils.copyDirectory(root.toFile, there.toFile)
    val copy = new RestartedQuery(broker, topic, onLost, root = there)
    copy.committed = committed
    copy
  }

  /** What all epochs up to now have to have written. */
  def rows: Vector[String] = RestartedQuery.rowsUntil(epochs)

  /** Goes on where the life before has ended. Answers whether it came to the end.
    *
    * @param between runs before each epoch's commit
    */
  def live(more: Int, faults: Faults = Faults.none, timeoutMillis: Long = 10 * 60000)(
      between: => Unit = ()
  ): Boolean = {
    val driver = life(faults, timeoutMillis)
    try {
      for (_ <- 1 to more) {
        driver.epoch(epochs, between)
        committed += 1
      }
      driver.end()
      true
    } catch { case RestartedQuery.Killed => false }
  }

  /** A life of its own, one epoch after the other. */
  def life(faults: Faults = Faults.none, timeoutMillis: Long = 10 * 60000): PreparedProcess[String] = {
    val run       = RunId.random()
    val settings  = broker.settings(timeoutMillis)
    val committer = new KafkaCommitter(
      new Transactions(settings, Clock.system),
      ids,
      topic,
      () => records.all().map(_.run).toSet,
      timeoutMillis,
      Clock.system
    )
    left += committer
    new PreparedProcess[String](
      root.toString,
      run,
      committer,
      task => writer(run, settings, task.epoch.get),
      RestartedQuery.rows,
      Clock.system,
      faults,
      onLost
    )
  }

  /** Of the log. */
  def records: CommitLog =
    new CommitLog(
      new LogFiles(LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process), "main", Faults.none)
    )

  private def writer(run: RunId, settings: ProducerSettings, epoch: Long) = {
    val use      = ProducerPool.Use(run, ids)
    val producer = pool.take(use, epoch).getOrElse(opened(run, settings))
    new TransactionWriter[String](
      producer.begin(),
      row => new ProducerRecord(topic, row.getBytes),
      Some(epoch),
      pool.put(use, epoch, _)
    )
  }

  private def opened(run: RunId, settings: ProducerSettings) = {
    val producer = new TransactionalProducer(settings, ids.next(run), Clock.system)
    left += producer
    producer
  }

  /** Of dead processes, too. */
  def close(): Unit = left.foreach { each =>
    try each.close()
    catch { case NonFatal(_) => () }
  }
}

object RestartedQuery {
  val Tasks      = 2
  val RowsOfTask = 5

  /** Of each task of an epoch. */
  def rows(epoch: Long): Seq[Seq[String]] =
    (0 until Tasks).map(slot => (1 to RowsOfTask).map(row => s"$epoch-$slot-$row"))

  /** Of all epochs before this one. */
  def rowsUntil(epoch: Long): Vector[String] = (0L until epoch).flatMap(rows(_).flatten).toVector

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
