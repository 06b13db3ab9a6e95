// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.{FileNotFoundException, IOException}

import scala.annotation.tailrec

import org.apache.hadoop.fs.{LeaseRecoverable, Path}

import stoplog.storage.hadoop.HadoopFiles

/** Ends the right of a client to write a file: HDFS lets one client at a time write it, and calls that a lease.
  *
  * A writer that lives on cannot write to the file from then on, whatever it is called by then; a rename alone would
  * not keep it off.
  */
private[hdfs] final class HdfsLeases(files: HadoopFiles) {

  /** Returns when no client writes the file any more, so that its length stands. Errors: `FileNotFoundException` when
    * it is not there, `LeaseNotRecoveredException` when the servers take too long.
    */
  def end(path: Path): Unit = if (!ask(path)) await(path, waitedMillis = 0)

  /** Asks for that and does not wait: whether no client writes the file any more. */
  def ask(path: Path): Boolean = abilities.recoverLease(path)

  /** Whether no client writes the file, without a word to the one that does. A file that is gone has no writer. */
  def isClosed(path: Path): Boolean =
    try abilities.isFileClosed(path)
    catch { case _: FileNotFoundException => true }

  /** Returns when the servers have finished with a block that they are recovering or cutting. */
  def awaitClosed(path: Path): Unit = if (!abilities.isFileClosed(path)) await(path, waitedMillis = 0)

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
      else abilities.isFileClosed(path)
    if (!closed) await(path, waited)
  }

  private def abilities: LeaseRecoverable = files.fileSystem match {
    case able: LeaseRecoverable => able
    case other                  => throw new IOException(s"${other.getUri} has no leases")
  }
}

/** The NameNode answers, and cannot settle the file: the DataNodes that hold its last block may be away. */
private[hdfs] final class LeaseNotRecoveredException(message: String) extends IOException(message)

private[hdfs] object HdfsLeases {
  private val LookEveryMillis = 50L

  /** The NameNode gives the recovery to a DataNode with a heartbeat, which may get lost with that DataNode. */
  private val AskAgainEveryMillis = 5000L

  /** Some heartbeats of three seconds, and a DataNode that died on the way. */
  private val PatienceMillis = 120000L
}
