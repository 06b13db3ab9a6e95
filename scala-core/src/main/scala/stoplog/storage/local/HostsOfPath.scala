// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.net.InetAddress
import java.nio.file.{Files, Path}

import scala.util.Try

import stoplog.error.Errors

/** Which hosts may write under a path.
  *
  * On NFS and its like each host sees the log through a cache of its own, up to a minute old, and a lock is lost with its
  * lease while the file that it stands for is still written: neither a task's look for newer records nor the driver's look
  * for locks is to be believed there (I1, decision 0002). So driver and tasks have to be on one host.
  *
  * @param driver the host of the driver, where the store is made; it is sent to the tasks
  * @param here   the host that asks
  * @param kindOf the kind of a path's file system, as the operating system calls it
  */
private[local] final class HostsOfPath(driver: String, here: HostsOfPath.Here, kindOf: HostsOfPath.Kinds)
    extends Serializable {

  /** Error: `STOPLOG_NETWORK_FILE_SYSTEM`. */
  def refuseOthers(path: Path): Unit = if (here.name() != driver) {
    val kind = kindOf(path)
    if (HostsOfPath.Cached.exists(kind.startsWith))
      throw Errors.networkFileSystem(path.toString, kind, here.name(), driver)
  }
}

private[local] object HostsOfPath {
  trait Here extends Serializable {
    def name(): String
  }

  trait Kinds extends Serializable {
    def apply(path: Path): String
  }

  def ofThisDriver: HostsOfPath = new HostsOfPath(host, () => host, kind)

  private val Cached = Seq("nfs", "cifs", "smb", "fuse.sshfs")

  private lazy val host: String = Try(InetAddress.getLocalHost.getHostName).getOrElse("unknown")

  /** The type of a path's file system; `unknown`, which is not refused, if the operating system does not tell. */
  private val kind: Kinds = path =>
    Iterator
      .iterate(path)(_.getParent)
      .takeWhile(_ != null)
      .find(Files.exists(_))
      .flatMap(there => Try(Files.getFileStore(there).`type`).toOption)
      .getOrElse("unknown")
}
