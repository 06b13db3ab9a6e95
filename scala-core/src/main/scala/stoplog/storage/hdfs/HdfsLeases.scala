// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.{FileNotFoundException, IOException}

import scala.annotation.tailrec

import org.apache.hadoop.fs.{LeaseRecoverable, Path}
import org.apache.hadoop.ipc.RemoteException

import stoplog.storage.hadoop.HadoopFiles

/** Ends the right of a client to write a file: HDFS lets one client at a time write it, and calls that a lease.
  *
  * A writer that lives on cannot write to the file from then on, under any name; a rename alone would not keep it off.
  */
private[hdfs] final class HdfsLeases(files: HadoopFiles) {
  import HdfsLeases.LeaseNotRecoveredException

  /** Returns when no client writes the file any more, so that its length stands. Errors: `FileNotFoundException` when
    * it is not there, `LeaseNotRecoveredException` when the servers take too long.
    */
  def end(path: Path): Unit = if (!ask(path)) await(path, waitedMillis = 0)

  /** Asks for that and does not wait: whether no client writes the file any more. */
  def ask(path: Path): Boolean = client.recoverLease(path)

  /** Whether no client writes the file, without a word to the one that does. A file that is gone has no writer. */
  def isClosed(path: Path): Boolean =
    try client.isFileClosed(path)
    catch { case _: FileNotFoundException => true }

  /** Returns when the servers have finished with a block that they are recovering or cutting. */
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
      if (waited % HdfsLeases.AskAgainEveryMillis == 0) ask(path)
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

  /** The NameNode gives the recovery to a DataNode with a heartbeat, which may get lost with that DataNode. */
  private val AskAgainEveryMillis = 5000L

  /** Some heartbeats of three seconds, and a DataNode that died on the way. */
  private val PatienceMillis = 120000L

  /** Whether a NameNode that works refuses because another client writes the file, or because its last block is still
    * being settled after one did.
    *
    * Anything else (no NameNode, safe mode, a quota) says nothing about the file.
    */
  def isBusy(e: IOException): Boolean = e match {
    case _: LeaseNotRecoveredException => true
    case remote: RemoteException       => isBusy(remote.getClassName, remote.getMessage)
    case other                         => isBusy(other.getClass.getName, other.getMessage)
  }

  private def isBusy(name: String, message: String): Boolean =
    Busy(name.substring(name.lastIndexOf('.') + 1)) || Unsettled.exists(String.valueOf(message).contains(_))

  // By name: not all of these classes are part of Hadoop's client, and other file systems have their own of that name.
  private val Busy = Set(
    "AlreadyBeingCreatedException",
    "RecoveryInProgressException",
    "NotReplicatedYetException"
  )

  /** Older NameNodes say the third of them in a plain `IOException`. */
  private val Unsettled = Seq("not sufficiently replicated yet", "is not COMPLETE")

  /** The NameNode answers, and cannot settle the file: the DataNodes that hold its last block may be away. */
  final class LeaseNotRecoveredException(message: String) extends IOException(message)
}
