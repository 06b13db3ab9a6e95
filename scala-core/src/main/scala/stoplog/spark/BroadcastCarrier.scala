// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

import stoplog.engine.Carrier
import stoplog.error.Log

/** Transfers data to executors through Spark's broadcasts: once to each executor with a reading task. */
private[spark] final class BroadcastCarrier(context: SparkContext) extends Carrier {
  override def carry(bytes: Array[Byte]): BroadcastCarrier.Carried =
    new BroadcastCarrier.Carried(context.broadcast(bytes))
}

private[spark] object BroadcastCarrier {
  final class Carried(broadcast: Broadcast[Array[Byte]])
      extends (() => Array[Byte])
      with AutoCloseable
      with Serializable {
    override def apply(): Array[Byte] = broadcast.value

    /** Frees the broadcast. A failure only costs memory, until Spark detects the unused broadcast. */
    override def close(): Unit =
      try broadcast.destroy()
      catch {
        case NonFatal(e) => Log.debug("The driver could not free the plan of an ended epoch", e)
      }
  }
}
