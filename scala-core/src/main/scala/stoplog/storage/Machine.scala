// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.net.InetAddress
import java.nio.file.{Files, Paths}
import java.util.UUID

import scala.util.Try

import stoplog.error.Errors

/** The machine of a process.
  *
  * @param name   the host name that users know
  * @param kernel the boot of the operating system. Processes with the same kernel see the same locks and the
  *               same processes. Two machines may have the same name. A container has its own name, and the
  *               kernel of its host
  * @param mounts the namespace of mounts, if the system shows it. A container with the name of its host has
  *               its own mounts
  */
private[stoplog] final case class Machine(name: String, kernel: String, mounts: String = "") {

  /** Whether both machines run under one kernel. */
  def isSameAs(other: Machine): Boolean = kernel == other.kernel
}

private[stoplog] object Machine {

  /** The machine of this process. */
  lazy val here: Machine = of(nameOfKernel.orElse(nameOfNetwork), bootId, UUID.randomUUID().toString)

  /** @param unique identifies a machine without a known name and boot, so that the machine equals no other
    *               machine
    */
  private[storage] def of(name: Option[String], boot: Option[String], unique: String): Machine =
    Machine(name.getOrElse("an unnamed host"), boot.orElse(name).getOrElse(unique), mountsOfProcess)

  private def nameOfKernel: Option[String] = read("/proc/sys/kernel/hostname")

  private def mountsOfProcess: String =
    Try(Files.readSymbolicLink(Paths.get("/proc/self/ns/mnt")).toString).getOrElse("")

  private def nameOfNetwork: Option[String] = Try(InetAddress.getLocalHost.getHostName).toOption

  /** The boot of the operating system, if the system shows it. */
  lazy val bootId: Option[String] = read("/proc/sys/kernel/random/boot_id")

  private def read(file: String): Option[String] =
    Try(Files.readString(Paths.get(file)).trim).toOption.filter(_.nonEmpty)
}

/** Errors about paths with different content for the driver and the tasks. */
private[stoplog] object HostPaths {

  /** If driver and task run on one machine with the same mounts, the path has changed since the driver wrote
    * the file.
    */
  def unseenByTask(root: String, file: String, driver: Machine, task: Machine): Throwable =
    if (task == driver) Errors.placeChanged(file)
    else Errors.pathNotShared(root, file, s"${driver.name} (the driver)", s"${task.name} (a task)")

  def unseenByDriver(root: String, file: String, driver: Machine): Throwable =
    Errors.pathNotShared(root, file, "the host of a task", s"${driver.name} (the driver)")
}
