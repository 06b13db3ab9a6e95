// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.util.concurrent.{Executors, TimeUnit}

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
