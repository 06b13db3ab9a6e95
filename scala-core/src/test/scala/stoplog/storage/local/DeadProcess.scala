// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.Path

/** Does to this process what the operating system does when one ends: its locks below `root` are dropped. */
object DeadProcess {
  def dropLocks(root: Path): Unit = WriterLeases.synchronized {
    val gone = WriterLeases.held.filter(_._1.startsWith(root.toRealPath()))
    gone.foreach { case (file, lease) =>
      lease.channel.close()
      WriterLeases.held.remove(file)
    }
  }
}
