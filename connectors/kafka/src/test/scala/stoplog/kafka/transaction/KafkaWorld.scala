// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.util.concurrent.atomic.AtomicInteger

import stoplog.fault.{Faults, Step}
import stoplog.kafka.Broker
import stoplog.matrix.ConnectorWorld

/** A topic of its own. Something of a process that died is open in it from the beginning. */
final class KafkaWorld(broker: Broker) extends ConnectorWorld {
  private val topic = broker.createTopic(s"matrix-${KafkaWorld.next.incrementAndGet()}", partitions = 2)
  private val lives = new RestartedQuery(broker, topic)
  require(
    !lives.live(more = 1, RestartedQuery.dying(Step.AfterSync, RestartedQuery.Tasks))(),
    "somebody has died"
  )

  override def process(faults: Faults): ConnectorWorld.Process = lives.life(faults)

  override def surplus(): Vector[String] = {
    val seen = broker.committed(topic)
    seen.diff(seen.distinct).map(row => s"$row is there twice")
  }

  override def problems(epochs: Long): Vector[String] = {
    val (seen, wanted) = (broker.committed(topic), RestartedQuery.rowsUntil(epochs))
    wanted.diff(seen).map(row => s"$row is missing") ++
      seen.diff(wanted).map(row => s"$row is there too often") ++
      Option.when(broker.isHeldUp(topic))("readers wait for a transaction")
  }

  override def close(): Unit = lives.close()
}

private object KafkaWorld {
  private val next = new AtomicInteger
}
