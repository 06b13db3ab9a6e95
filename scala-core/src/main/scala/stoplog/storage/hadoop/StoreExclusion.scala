// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.ObjectOutputStream

import stoplog.storage.hadoop.CapabilityProbe.Exclusion

/** The exclusion of the files of one store, needed when a file is created. Sent to other processes with the
  * store.
  *
  * Every call MUST return the same exclusion: two steps for one name exclude no caller (P-123).
  */
private[stoplog] trait StoreExclusion extends Serializable {

  /** Errors: `STOPLOG_PATH_NOT_WRITABLE`, `STOPLOG_STORE_NOT_EXCLUSIVE`. */
  def step: Exclusion
}

private[stoplog] object StoreExclusion {

  /** An exclusion that is known without a trial. */
  final case class Known(step: Exclusion) extends StoreExclusion

  /** An exclusion that one trial detects, before the first file. A trial costs many requests, and several
    * trials of one place need not agree. So the trial precedes the first copy for another process, too.
    */
  final class Tried(files: HadoopFiles) extends StoreExclusion {
    private var found = Option.empty[Exclusion]

    override def step: Exclusion = synchronized {
      found.getOrElse {
        val exclusion = CapabilityProbe.exclusion(files)
        found = Some(exclusion)
        exclusion
      }
    }

    private def writeObject(out: ObjectOutputStream): Unit = {
      step: Unit
      out.defaultWriteObject()
    }
  }
}
