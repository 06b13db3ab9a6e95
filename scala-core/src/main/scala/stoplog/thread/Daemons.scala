// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.ThreadFactory

/** Threads that do not keep the JVM alive. */
private[stoplog] object Daemons {
  def named(name: String): ThreadFactory = (task: Runnable) => {
    val thread = new Thread(task, name)
    thread.setDaemon(true)
    thread
  }
}
