// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.util.control.NonFatal

import stoplog.error.Log
import stoplog.thread.{Daemons, SinkTimer}

/** Looks for a file that asks for a query to be stopped. */
private[stoplog] object StopMarker {

  def watch(
      name: String,
      isActive: () => Boolean,
      isThere: () => Boolean,
      remove: () => Unit,
      stop: () => Unit,
      everyMillis: Long
  ): AutoCloseable = {
    val watched = SinkTimer.every(everyMillis) {
      if (!isActive()) SinkTimer.Stop
      else if (looked(name, isThere)) {
        // Not on the clock's threads, which all sinks share: it may take as long as a micro-batch.
        val thread = Daemons.named("stoplog-stop").newThread { () =>
          stop()
          remove()
        }
        thread.start()
        SinkTimer.Stop
      } else SinkTimer.Again
    }
    () => { watched.cancel(false); () }
  }

  private def looked(name: String, isThere: () => Boolean): Boolean =
    try isThere()
    catch {
      case NonFatal(e) =>
        Log.warn(s"Whether there is $name, which asks for a stop, could not be seen; it is tried again", e)
        false
    }
}
