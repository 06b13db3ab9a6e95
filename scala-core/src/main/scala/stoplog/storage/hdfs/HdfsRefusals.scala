// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.IOException

import org.apache.hadoop.ipc.RemoteException

/** The refusals of a NameNode that works and does not let a client write to a file, because another client does. */
private[hdfs] object HdfsRefusals {

  /** Whether another client writes the file, or its last block is still being settled after one did.
    *
    * Anything else (no NameNode, safe mode, a quota) says nothing about the file.
    */
  def isBusy(e: IOException): Boolean = {
    val (name, message) = e match {
      case remote: RemoteException => remote.getClassName    -> remote.getMessage
      case other                   => other.getClass.getName -> other.getMessage
    }
    Busy(name.substring(name.lastIndexOf('.') + 1)) || Unsettled.exists(String.valueOf(message).contains(_))
  }

  // By name: not all of these classes are part of Hadoop's client, and other file systems have their own of that name.
  private val Busy = Set(
    "AlreadyBeingCreatedException",
    "RecoveryInProgressException",
    "NotReplicatedYetException",
    "LeaseNotRecoveredException"
  )

  /** Older NameNodes say the third of them in a plain `IOException`. */
  private val Unsettled = Seq("not sufficiently replicated yet", "is not COMPLETE")
}
