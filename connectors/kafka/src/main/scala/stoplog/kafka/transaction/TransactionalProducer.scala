// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.UUID
import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicLong
import java.util.zip.CRC32

import scala.collection.mutable
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.kafka.clients.producer.ProducerRecord

import stoplog.error.{Log, StoplogException}
import stoplog.kafka.client.{FirstFailure, KafkaErrors, OpenTransaction, ProducerSettings}
import stoplog.part.RunId
import stoplog.sink.{Prepared, TwoPhaseWriter}
import stoplog.thread.{Clock, Daemons}

/** Sends records in consecutive transactions and leaves each transaction open for the commit by another
  * process.
  *
  * Not thread-safe.
  *
  * @param id the transactional id, used only by this producer
  */
private[kafka] final class TransactionalProducer(settings: ProducerSettings, val id: String, clock: Clock)
    extends AutoCloseable {
  private[this] val producer = settings.newProducer(settings.transactional(id))
  private[this] val failure  = new FirstFailure(named(_))
  private[this] var sent     = 0L
  private[this] var begun    = 0L
  private[this] var batch    = Option.empty[Long]

  /** Starts a transaction. The preceding transaction must be settled. If it is still open, no record names
    * it, and the brokers abort it.
    *
    * Error: `STOPLOG_REQUEST_FAILED`.
    *
    * @param ofBatch the micro-batch, for messages
    */
  def begin(ofBatch: Option[Long] = None): this.type =
    try {
      if (sent > 0) new ProducerState(producer).forget()
      sent = 0
      batch = ofBatch
      producer.initTransactions()
      producer.beginTransaction()
      this
    } catch {
      case NonFatal(e) =>
        close()
        throw KafkaErrors.write(settings.servers, e)
    }

  /** Sends a record. Errors: `STOPLOG_KAFKA_TRANSACTION_EXPIRED`, `STOPLOG_REQUEST_FAILED`, also for a
    * failure of an earlier record.
    */
  def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit = {
    failure.throwIfAny()
    if (sent == 0) begun = clock.millis()
    try producer.send(record, failure)
    catch { case NonFatal(e) => throw named(e) }
    sent += 1
  }

  /** Waits until the brokers have acknowledged all records. Returns `None` if no record was sent, because the
    * brokers know no transaction before its first record.
    *
    * Errors: `STOPLOG_KAFKA_TRANSACTION_EXPIRED`, `STOPLOG_REQUEST_FAILED`.
    *
    * @param batch the micro-batch
    */
  def prepare(batch: Option[Long]): Option[OpenTransaction] = if (sent == 0) None
  else {
    try settings.flush(producer, clock)
    catch { case NonFatal(e) => throw named(e) }
    failure.throwIfAny()
    Some(open(batch))
  }

  private def open(batch: Option[Long]): OpenTransaction = {
    val state = new ProducerState(producer)
    OpenTransaction(id, state.producerId, state.epoch, begun, batch)
  }

  /** Returns the error for a failure of the client. A failed client may have forgotten its transaction. */
  private def named(e: Throwable): StoplogException = {
    val current = Option.when(sent > 0)(
      Try(open(batch)).getOrElse(OpenTransaction(id, producerId = -1, epoch = -1, begun, batch))
    )
    KafkaErrors.inTransaction(
      settings.servers,
      current,
      clock.millis() - begun,
      settings.transactionTimeoutMillis,
      e
    )
  }

  /** Aborts the transaction, so that readers never see its records. If this fails, recovery or the brokers'
    * timeout aborts the transaction.
    */
  def abort(): Unit =
    try producer.abortTransaction()
    catch { case NonFatal(e) => Log.warn(s"Transaction $id was not aborted", e) }

  /** Closes without waiting, because an orderly close would abort the transaction. */
  override def close(): Unit = producer.close(Duration.ZERO)
}

/** Writes the rows of a task attempt in a single transaction.
  *
  * @param producer a producer with a started transaction
  * @param record   converts a row to a record
  * @param batch    the micro-batch; `None` in a batch query
  * @param keep     receives the producer after its transaction is prepared
  */
private[kafka] final class TransactionWriter[R](
    producer: TransactionalProducer,
    record: R => ProducerRecord[Array[Byte], Array[Byte]],
    batch: Option[Long],
    keep: TransactionalProducer => Unit
) extends TwoPhaseWriter[R] {
  private[this] var rows  = 0L
  private[this] var bytes = 0L
  private[this] var end   = producer.close _

  override def write(row: R): Unit = {
    val made = record(row)
    producer.send(made)
    rows += 1
    bytes += size(made.key) + size(made.value)
  }

  override def prepare(): Vector[Prepared] = {
    val prepared = producer
      .prepare(batch)
      .map(open => Prepared(s"${open.id}-${batch.fold("job")(_.toString)}", open.token, rows, bytes))
    end = () => keep(producer)
    prepared.toVector
  }

  override def abort(): Unit = producer.abort()

  override def close(): Unit = end()

  private def size(bytes: Array[Byte]): Int = if (bytes == null) 0 else bytes.length
}

/** The producers of a process with prepared transactions, reused by tasks of later epochs. A new producer
  * must first find the brokers and the coordinator, which takes longer than a small micro-batch.
  *
  * @param keptMillis the maximum idle time of a producer before the pool closes it
  */
private[kafka] final class ProducerPool(clock: Clock, keptMillis: Long) {
  import ProducerPool._

  private val idle = mutable.Map.empty[Use, Vector[Idle]]

  /** Returns a producer whose last transaction is settled, because the transaction belongs to an earlier
    * epoch of the same run.
    *
    * @param batch the micro-batch of the requesting task
    */
  def take(use: Use, batch: Long): Option[TransactionalProducer] = synchronized {
    val found = idle.getOrElse(use, Vector.empty).find(_.batch < batch)
    found.foreach(taken => idle(use) = idle(use).filterNot(_ eq taken))
    found.map(_.producer)
  }

  /** Returns a producer to the pool.
    *
    * @param batch the micro-batch whose transaction the producer has prepared
    */
  def put(use: Use, batch: Long, producer: TransactionalProducer): Unit = synchronized {
    idle(use) = idle.getOrElse(use, Vector.empty) :+ Idle(producer, batch, clock.elapsedMillis())
  }

  /** Closes producers that have been idle for too long. Their transactions remain unchanged. Never throws: an
    * exception would end the timer that calls this method.
    */
  def closeUnused(): Unit = {
    val since  = clock.elapsedMillis() - keptMillis
    val unused = synchronized {
      val (old, young) = idle.toVector
        .flatMap { case (use, all) => all.map(use -> _) }
        .partition(_._2.sinceMillis < since)
      idle.clear()
      young.groupMap(_._1)(_._2).foreach(idle += _)
      old.map(_._2.producer)
    }
    unused.foreach { producer =>
      Log.tolerating(s"The idle producer ${producer.id} was not closed")(producer.close())
    }
  }
}

private[kafka] object ProducerPool {

  /** The run and the ids for which a producer was created. A producer only serves tasks with the same values.
    */
  final case class Use(run: RunId, ids: TransactionalIds)

  /** The pool of this process. */
  lazy val shared: ProducerPool = {
    val pool = new ProducerPool(Clock.system, KeptMillis)
    Executors
      .newSingleThreadScheduledExecutor(Daemons.named("stoplog-kafka"))
      .scheduleWithFixedDelay(() => pool.closeUnused(), KeptMillis, KeptMillis / 4, TimeUnit.MILLISECONDS)
    pool
  }

  private final case class Idle(producer: TransactionalProducer, batch: Long, sinceMillis: Long)

  private val KeptMillis = TimeUnit.MINUTES.toMillis(10)
}

/** The transactional ids of a sink: `<prefix>-<place>-<sinkId>-<run>-<process>-<number>`.
  *
  * Each id belongs to a single producer in a single process, which uses the id in consecutive epochs. A
  * broker remembers each id for seven days, so separate ids for each task and epoch are not feasible. No
  * other producer starts a transaction with the id, because such a start would abort the open transaction.
  *
  * @param prefix the user-defined prefix, for the access rules of the brokers
  * @param place  the place of the sink's commit log, equal for all spellings of its location. The id contains
  *               a checksum of the place
  */
private[kafka] final case class TransactionalIds(prefix: String, place: String, sinkId: String) {

  /** Returns an id that no other producer has used. */
  def next(run: RunId): String =
    s"$prefix-$log-${run.uid}-${TransactionalIds.process}-${TransactionalIds.numbers.incrementAndGet()}"

  /** Returns the run that created the id for the log in this place, as [[stoplog.part.RunId.uid]]. The prefix
    * is irrelevant: an earlier run of the log may have had another prefix. Returns `None` for every other id.
    */
  def runOf(id: String): Option[String] = Some(id).collect {
    case TransactionalIds.Made(sink, run) if sink.endsWith(s"-$log") => run
  }

  private def log: String = {
    val sum = new CRC32
    sum.update(place.stripSuffix("/").getBytes(UTF_8))
    f"${sum.getValue}%08x-$sinkId"
  }
}

private[kafka] object TransactionalIds {
  private val process = UUID.randomUUID().toString.take(8)
  private val numbers = new AtomicLong()

  private val Made = "(?s)(.*)-([0-9A-Za-z]{1,12})-[0-9a-f]{8}-[0-9]+".r
}
