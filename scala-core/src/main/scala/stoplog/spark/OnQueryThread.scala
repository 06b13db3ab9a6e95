// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.ExecutionException

import scala.util.control.NonFatal

import stoplog.error.Causes

/** Runs calls from Spark on the thread of a streaming query. `query.stop()` interrupts this thread. Spark
  * recognizes the interrupt by the class of the exception or of the cause of an `ExecutionException`, but not
  * in the causes of other exceptions. Such a query would end with an error instead of a stop.
  */
private[spark] object OnQueryThread {

  /** Returns the result. Error: `ExecutionException` with the message of the failure, if the failure is the
    * effect of an interrupt.
    */
  def apply[A](call: => A): A =
    try call
    catch {
      case NonFatal(e) =>
        throw Causes.of(e).find(isInterrupt).fold(e) { interrupt =>
          val stopped = new ExecutionException(e.getMessage, interrupt)
          stopped.addSuppressed(e)
          stopped
        }
    }

  // A timeout of a connection is a failure, although its class extends the class of interrupts.
  private def isInterrupt(e: Throwable): Boolean = e match {
    case _: SocketTimeoutException                                                           => false
    case _: InterruptedException | _: InterruptedIOException | _: ClosedByInterruptException => true
    case _                                                                                   => false
  }
}
