// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path}

import scala.util.Try

import stoplog.error.Errors
import stoplog.storage.{HostPaths, Machine}

/** The check whether a task may write to a local path, on the host on which it runs.
  *
  * A path that is a directory of each host is refused elsewhere: the task does not see what the driver has written.
  * If the task sees it from under another kernel, both hosts share the file system. Only a file system on a block device
  * then shows the same names and locks to both: a cluster file system, whose hosts agree on each block. Any other
  * one, such as NFS, is seen through caches of each host, up to a minute old, and a lock is lost with its lease while the
  * file that it stands for is still written. So neither a task's look for newer records nor the driver's look for
  * locks can be relied on there (I1, decision 0002), and driver and tasks must run under one kernel.
  *
  * @param driver     the driver's machine, where the store is made; it is sent to the tasks
  * @param here       the machine of the task
  * @param hasDevice  whether the file system of a path is on a block device
  */
private[local] final class TaskHost(driver: Machine, here: () => Machine, hasDevice: Path => Boolean)
    extends Serializable {

  /** Error: `STOPLOG_NETWORK_FILE_SYSTEM`. */
  def refuseCached(path: Path): Unit =
    if (!here().isSameAs(driver) && !hasDevice(path))
      throw Errors.networkFileSystem(path.toString, here().name, driver.name)

  /** The error of a task that cannot see a file of the driver. */
  def unseenByTask(root: String, file: String): Throwable = HostPaths.unseenByTask(root, file, driver, here())

  /** The error of a driver that cannot see a file of a task. */
  def unseenByDriver(root: String, file: String): Throwable = HostPaths.unseenByDriver(root, file, here())
}

private[local] object TaskHost {
  def ofThisDriver: TaskHost = new TaskHost(Machine.here, () => Machine.here, isOnDevice)

  /** Whether the file system is on a block device, as far as the operating system shows it. One without a device, such as
    * a network file system, has the major number 0.
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
