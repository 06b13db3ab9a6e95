// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.UUID
import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicLong
import java.util.zip.CRC32

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}

import stoplog.error.Log
import stoplog.kafka.client.{FirstFailure, KafkaErrors, OpenTransaction, ProducerSettings}
import stoplog.part.RunId
import stoplog.sink.{Prepared, TwoPhaseWriter}
import stoplog.thread.{Clock, Daemons}

/** Sends records in one transaction after the other, and leaves each open: another process commits it.
  *
  * Used by one thread at a time.
  *
  * @param id of the transactions, which is this producer's alone
  */
private[kafka] final class TransactionalProducer(settings: ProducerSettings, val id: String, clock: Clock)
    extends AutoCloseable {
  private[this] val producer = new KafkaProducer[Array[Byte], Array[Byte]](settings.transactional(id))
  private[this] val failure  = new FirstFailure(settings.servers)
  private[this] var sent     = 0L
  private[this] var begun    = 0L

  /** Begins a transaction. The one before must be settled: if it is still open, it is in no record, and is aborted.
    *
    * Error: `STOPLOG_KAFKA_WRITE`.
    */
  def begin(): this.type =
    try {
      if (sent > 0) new ProducerState(producer).forget()
      sent = 0
      producer.initTransactions()
      producer.beginTransaction()
      this
    } catch {
      case NonFatal(e) =>
        close()
        throw KafkaErrors.write(settings.servers, e)
    }

  /** Error: `STOPLOG_KAFKA_WRITE`, also for what was sent before. */
  def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit = {
    failure.throwIfAny()
    if (sent == 0) begun = clock.millis()
    try producer.send(record, failure)
    catch { case NonFatal(e) => throw KafkaErrors.write(settings.servers, e) }
    sent += 1
  }

  /** The brokers have all that was sent, as often as they keep it. `None` if that is nothing: they know of no
    * transaction before its first record.
    *
    * @param batch the micro-batch
    */
  def prepare(batch: Option[Long]): Option[OpenTransaction] = if (sent == 0) None
  else {
    try producer.flush()
    catch { case NonFatal(e) => throw KafkaErrors.write(settings.servers, e) }
    failure.throwIfAny()
    val state = new ProducerState(producer)
    Some(OpenTransaction(id, state.producerId, state.epoch, begun, batch))
  }

  /** Readers never see the records that were sent. If this fails, recovery does it, or the broker when the time is up. */
  def abort(): Unit =
    try producer.abortTransaction()
    catch { case NonFatal(e) => Log.warn(s"Transaction $id was not aborted", e) }

  /** Without waiting: an orderly end would abort the transaction. */
  override def close(): Unit = producer.close(Duration.ZERO)
}

/** The rows of one attempt of one task, in one transaction.
  *
  * @param producer has begun a transaction
  * @param record   of a row
  * @param batch    the micro-batch; `None` in a batch query
  * @param keep     takes the producer back when its transaction is prepared
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

/** Producers of one process that have prepared a transaction, for tasks of later epochs: a new producer has to look for
  * brokers and coordinator first, which takes longer than a small micro-batch.
  *
  * @param keptMillis how long a producer waits for a task before it is closed
  */
private[kafka] final class ProducerPool(clock: Clock, keptMillis: Long) {
  import ProducerPool._

  private val idle = mutable.Map.empty[Use, Vector[Idle]]

  /** One whose last transaction is settled, because it belongs to an earlier epoch of the same run.
    *
    * @param batch the micro-batch that asks
    */
  def take(use: Use, batch: Long): Option[TransactionalProducer] = synchronized {
    val found = idle.getOrElse(use, Vector.empty).find(_.batch < batch)
    found.foreach(taken => idle(use) = idle(use).filterNot(_ eq taken))
    found.map(_.producer)
  }

  /** @param batch the micro-batch whose transaction it has prepared */
  def put(use: Use, batch: Long, producer: TransactionalProducer): Unit = synchronized {
    idle(use) = idle.getOrElse(use, Vector.empty) :+ Idle(producer, batch, clock.elapsedMillis())
  }

  /** Closes those that no task has wanted for long. Their transactions stay as they are. */
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
    unused.foreach(_.close())
  }
}

private[kafka] object ProducerPool {

  /** The run and the ids that a producer must have been made for, to serve a task. */
  final case class Use(run: RunId, ids: TransactionalIds)

  /** Of this process. */
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

/** The transactional ids of one sink: `<prefix>-<log>-<sinkId>-<run>-<process>-<number>`.
  *
  * An id belongs to one producer in one process, which uses it in one epoch after the other: a broker remembers each id
  * for seven days, so there cannot be one for each task of each epoch. No other producer begins a transaction under it, because
  * that aborts what is open.
  *
  * @param prefix that the user chose, for the access rules of the brokers
  * @param log    where the sink's commit log is, of which the id has a checksum: for a person who looks for its sink
  */
private[kafka] final case class TransactionalIds(prefix: String, log: String, sinkId: String) {

  /** An id that no producer has ever had. */
  def next(run: RunId): String =
    s"$begin${run.uid}-${TransactionalIds.process}-${TransactionalIds.numbers.incrementAndGet()}"

  private def begin: String = {
    val sum = new CRC32
    sum.update(log.stripSuffix("/").getBytes(UTF_8))
    f"$prefix-${sum.getValue}%08x-$sinkId-"
  }
}

private[kafka] object TransactionalIds {
  private val process = UUID.randomUUID().toString.take(8)
  private val numbers = new AtomicLong()

  /** The run that has made the id, by [[stoplog.part.RunId.uid]], which alone proves whose it is: all before it may be others'
    * too, or the sink's own until its options were changed. `None` for what no sink has made.
    */
  def runOf(id: String): Option[String] = Some(id).collect { case Made(run) => run }

  private val Made = "(?s).*-([0-9A-Za-z]{1,12})-[0-9a-f]{8}-[0-9]+".r
}
