// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

import stoplog.engine.Carrier
import stoplog.error.Log

/** Brings data to the executors whose tasks ask for it, by Spark's broadcasts: once to each of them. */
private[spark] final class BroadcastCarrier(context: SparkContext) extends Carrier {
  private val carried = new ConcurrentLinkedQueue[Broadcast[Array[Byte]]]()

  override def carry(bytes: Array[Byte]): () => Array[Byte] = {
    val broadcast = context.broadcast(bytes)
    carried.add(broadcast)
    new BroadcastCarrier.Carried(broadcast)
  }

  /** Frees the memory. A task that begins only now fails: its epoch has ended without it. A failure costs memory alone. */
  def release(): Unit =
    Iterator.continually(carried.poll()).takeWhile(_ != null).foreach { broadcast =>
      Log.tolerating("The driver could not free the plan of an epoch that is over")(broadcast.destroy())
    }
}

private object BroadcastCarrier {
  private final class Carried(broadcast: Broadcast[Array[Byte]])
      extends (() => Array[Byte])
      with Serializable {
    override def apply(): Array[Byte] = broadcast.value
  }
}
