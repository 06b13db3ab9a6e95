// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path}

import scala.util.Try

import stoplog.error.Errors
import stoplog.storage.{HostPaths, Machine}

/** Checks whether a task may write to a local path on the task's host.
  *
  * If each host has its own directory at the path, another check rejects the path: the task does not see the
  * driver's files. If the task sees the driver's files from another kernel, both hosts share the file system.
  * In this case only a file system on a block device shows the same names and locks to both hosts: a cluster
  * file system, whose hosts agree on each block.
  *
  * In any other file system, such as NFS, each host sees files through a cache that may be a minute old. A
  * lock is lost with its lease while its file is still being written. So neither a task's check for newer
  * records nor the driver's check for locks is reliable (I1, decision 0002). On these file systems, driver
  * and tasks MUST run under one kernel.
  *
  * @param driver     the driver's machine, where the store is created; sent to the tasks
  * @param here       the machine of the task
  * @param hasDevice  whether the file system of a path is on a block device
  */
private[local] final class TaskHost(driver: Machine, here: () => Machine, hasDevice: Path => Boolean)
    extends Serializable {

  /** Error: `STOPLOG_NETWORK_FILE_SYSTEM`. */
  def refuseCached(path: Path): Unit =
    if (!here().isSameAs(driver) && !hasDevice(path))
      throw Errors.networkFileSystem(path.toString, here().name, driver.name)

  /** Creates the error for a task that does not see a file of the driver. */
  def unseenByTask(root: String, file: String): Throwable = HostPaths.unseenByTask(root, file, driver, here())

  /** Creates the error for a driver that does not see a file of a task. */
  def unseenByDriver(root: String, file: String): Throwable = HostPaths.unseenByDriver(root, file, here())
}

private[local] object TaskHost {
  def ofThisDriver: TaskHost = new TaskHost(Machine.here, () => Machine.here, isOnDevice)

  /** Whether the file system is on a block device, as shown by the operating system. A file system without a
    * device, such as a network file system, has the major number 0.
    */
  private val isOnDevice: Path => Boolean = path =>
    Iterator
      .iterate(path)(_.getParent)
      .takeWhile(_ != null)
      .find(Files.exists(_))
      .flatMap(there => Try(Files.getAttribute(there, "unix:dev")).toOption)
      .collect { case device: java.lang.Long => major(device) }
      .exists(_ != 0)

  private[local] def major(device: Long): Long = ((device >>> 8) & 0xfffL) | ((device >>> 32) & 0xfffff000L)
}
