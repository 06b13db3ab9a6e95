// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicLong
import java.util.zip.CRC32

import scala.collection.mutable

import stoplog.commit.Clock
import stoplog.part.RunId
import stoplog.thread.Daemons

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
    idle(use) = idle.getOrElse(use, Vector.empty) :+ Idle(producer, batch, clock.millis())
  }

  /** Closes those that nobody has wanted for long. Their transactions stay as they are. */
  def closeUnused(): Unit = {
    val since  = clock.millis() - keptMillis
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

  /** What a producer must have been made for, to serve a task. */
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
  * for seven days, so there cannot be one for each task of each epoch. Nobody else begins a transaction under it, because
  * that aborts what is open.
  *
  * @param prefix that the user chose, for the access rules of the brokers
  * @param log    where the sink's commit log is: sinks with one id in different logs know nothing of each other
  */
private[kafka] final case class TransactionalIds(prefix: String, log: String, sinkId: String) {

  /** One that nobody has ever had. */
  def next(run: RunId): String =
    s"$begin${run.uid}-${TransactionalIds.process}-${TransactionalIds.numbers.incrementAndGet()}"

  /** Whether an id is one of the sink. Another sink's may go on with what looks like a run. */
  def isOfSink(id: String): Boolean =
    id.startsWith(begin) && TransactionalIds.Rest.matches(id.drop(begin.length))

  // A checksum is enough: it tells apart the few logs that one prefix is used with.
  private def begin: String = {
    val sum = new CRC32
    sum.update(log.stripSuffix("/").getBytes(UTF_8))
    f"$prefix-${sum.getValue}%08x-$sinkId-"
  }
}

private[kafka] object TransactionalIds {
  private val process = UUID.randomUUID().toString.take(8)
  private val numbers = new AtomicLong()

  private val Rest = "[0-9A-Za-z]{1,12}-[0-9a-f]{8}-[0-9]+".r
}
