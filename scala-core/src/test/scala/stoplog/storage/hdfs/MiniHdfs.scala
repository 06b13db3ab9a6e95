// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.nio.file.Files

import stoplog.servers.ServerProcess

/** One HDFS for all tests of this JVM, in a process of its own; it ends with this one. */
object MiniHdfs {
  private lazy val server =
    ServerProcess.start("hdfs", "stoplog.servers.HdfsServer", Files.createTempDirectory("stoplog-hdfs"))

  /** `hdfs://<host>:<port>` */
  def uri: String = server.address

  /** How often each method of the NameNode has been called by clients until now. */
  def calls(): Map[String, Long] = server
    .ask("calls")
    .split(' ')
    .filter(_.nonEmpty)
    .map(count)
    .filterNot { case (name, _) => Others.exists(name.matches) }
    .toMap

  /** How often each is called meanwhile; only those that are. */
  def callsDuring(action: => Any): Map[String, Long] = {
    val before = calls()
    action
    calls().map { case (name, count) => name -> (count - before.getOrElse(name, 0L)) }.filter(_._2 > 0)
  }

  /** Ends the NameNode and starts it again; returns when it serves. */
  def restartNameNode(): Unit = restart("restartNameNode")

  /** The same with the DataNode: what was being written there breaks. */
  def restartDataNode(): Unit = restart("restartDataNode")

  private def restart(command: String): Unit = {
    server.ask(command)
    ()
  }

  private def count(text: String): (String, Long) = {
    val (name, number) = text.splitAt(text.indexOf('='))
    name -> number.drop(1).toLong
  }

  /** What DataNodes ask for, what clients do now and then however many files they write, and other names for a call. */
  private val Others = Seq(
    "SendHeartbeat", "BlockReport", "BlockReceivedAndDeleted", "CommitBlockSynchronization",
    "RegisterDatanode", "VersionRequest", "SendLifeline", "ErrorReport", "RenewLease", "GetServerDefaults",
    "Overall.*", ".*Exception"
  )
}
