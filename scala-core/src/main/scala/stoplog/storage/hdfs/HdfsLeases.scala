// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.{FileNotFoundException, IOException}

import scala.annotation.tailrec

import org.apache.hadoop.fs.{LeaseRecoverable, Path}
import org.apache.hadoop.ipc.RemoteException

import stoplog.storage.hadoop.HadoopFiles

/** Ends the lease of a client on a file. HDFS lets only one client at a time write to a file, the holder of
  * the lease.
  *
  * A writer that survives cannot write to the file any more, under any name. Only a rename would not stop the
  * writer.
  */
private[hdfs] final class HdfsLeases(files: HadoopFiles) {
  import HdfsLeases.LeaseNotRecoveredException

  /** Returns when no client writes to the file any more, so that its length is final. Errors:
    * `FileNotFoundException` if the file does not exist, `LeaseNotRecoveredException` if the servers take too
    * long.
    */
  def end(path: Path): Unit = if (!recover(path)) await(path, waitedMillis = 0)

  /** Starts the lease recovery without waiting. Returns whether no client writes to the file any more. */
  def recover(path: Path): Boolean = client.recoverLease(path)

  /** Whether no client writes to the file. Does not affect a writing client. True for a missing file. */
  def isClosed(path: Path): Boolean =
    try client.isFileClosed(path)
    catch { case _: FileNotFoundException => true }

  /** Returns when the servers have finished the recovery or truncation of a block. */
  def awaitClosed(path: Path): Unit = if (!client.isFileClosed(path)) await(path, waitedMillis = 0)

  @tailrec
  private def await(path: Path, waitedMillis: Long): Unit = {
    if (waitedMillis >= HdfsLeases.PatienceMillis)
      throw new LeaseNotRecoveredException(
        s"the lease of $path was not recovered within ${HdfsLeases.PatienceMillis} ms"
      )
    Thread.sleep(HdfsLeases.LookEveryMillis)
    val waited = waitedMillis + HdfsLeases.LookEveryMillis
    val closed =
      if (waited % HdfsLeases.RecoverAgainMillis == 0) recover(path)
      else client.isFileClosed(path)
    if (!closed) await(path, waited)
  }

  private def client: LeaseRecoverable = files.fileSystem match {
    case leases: LeaseRecoverable => leases
    case other                    => throw new IOException(s"${other.getUri} has no leases")
  }
}

private[hdfs] object HdfsLeases {
  private val LookEveryMillis = 50L

  /** The NameNode assigns the recovery by heartbeat. The request may be lost with its DataNode. */
  private val RecoverAgainMillis = 5000L

  /** Covers some heartbeats of three seconds, and a DataNode that died during the recovery. */
  private val PatienceMillis = 120000L

  /** Whether a working NameNode rejects the request because another client writes to the file. Also true if
    * the last block of the file is still being recovered after another client's write.
    *
    * Any other error (no NameNode, safe mode, a quota) contains no information about the file.
    */
  def isBusy(e: IOException): Boolean = e match {
    case _: LeaseNotRecoveredException => true
    case remote: RemoteException       => isBusy(remote.getClassName, remote.getMessage)
    case other                         => isBusy(other.getClass.getName, other.getMessage)
  }

  private def isBusy(name: String, message: String): Boolean =
    Busy(name.substring(name.lastIndexOf('.') + 1)) || Unsettled.exists(String.valueOf(message).contains(_))

  // Compares names: not all of these classes are in Hadoop's client, and other file systems have their own
  // classes with such a name.
  private val Busy = Set(
    "AlreadyBeingCreatedException",
    "RecoveryInProgressException",
    "NotReplicatedYetException"
  )

  /** Older NameNodes report the third condition in a plain `IOException`. */
  private val Unsettled = Seq("not sufficiently replicated yet", "is not COMPLETE")

  /** The NameNode cannot recover the file: the DataNodes with the last block may be unavailable. */
  final class LeaseNotRecoveredException(message: String) extends IOException(message)
}
