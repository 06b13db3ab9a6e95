// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import org.apache.hadoop.fs.Syncable

/** How much has to go wrong on the servers before committed bytes are gone. */
sealed trait HadoopDurability extends Serializable {

  /** Makes what has been written so far durable. */
  def flush(out: Syncable): Unit
}

object HadoopDurability {

  /** Bytes are on the disks of all servers that hold them: they survive a power loss. */
  case object Disk extends HadoopDurability {
    override def flush(out: Syncable): Unit = out.hsync()
  }

  /** Bytes are in the memory of all servers that hold them: they survive the death of any process. */
  case object Process extends HadoopDurability {
    override def flush(out: Syncable): Unit = out.hflush()
  }
}
