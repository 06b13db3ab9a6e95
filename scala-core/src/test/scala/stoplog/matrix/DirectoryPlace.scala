// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.nio.file.{Files, Path}

import stoplog.storage.local.{DeadProcess, LocalStorage}

/** A temporary directory, looked at with java.nio. */
abstract class DirectoryPlace(layout: Layout) extends Place {
  protected val directory: Path = Files.createTempDirectory("stoplog-matrix")

  override def files(): Vector[String] =
    LocalStorage.files(directory).map(directory.relativize(_).toString)

  override def read(file: String): Array[Byte] = Files.readAllBytes(directory.resolve(file))

  override def plant(file: String, bytes: Array[Byte]): Unit = {
    Files.createDirectories(directory.resolve(file).getParent)
    Files.write(directory.resolve(file), bytes)
    ()
  }

  override def unfinishedInBucket(name: String): Boolean = layout.unfinishedInBucket(name)

  override def processesDied(): Unit = DeadProcess.dropLocks(directory)

  override def remove(): Unit = {
    processesDied()
    LocalStorage.remove(directory)
  }
}
