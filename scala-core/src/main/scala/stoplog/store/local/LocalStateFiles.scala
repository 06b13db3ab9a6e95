// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.io.{BufferedOutputStream, FileInputStream, FileOutputStream, InputStream, OutputStream}
import java.nio.file.{FileAlreadyExistsException, Files, Path, Paths}
import java.util.UUID

import stoplog.fault.{Faults, Step}
import stoplog.log.PutOutcome
import stoplog.source.log.StateFiles

/** A source's state on a local disk: written elsewhere, forced to the disk, and then linked into place. */
final class LocalStateFiles(root: String, faults: Faults = Faults.none) extends StateFiles {

  override def list(): Vector[String] =
    LocalFiles.list(directory).map(_.getFileName.toString).filterNot(_.startsWith(".")).sorted

  // Not a channel: those end with an interrupt.
  override def open(name: String): InputStream = new FileInputStream(directory.resolve(name).toFile)

  override def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome =
    LocalFiles.writing(directory.resolve(name)) {
      Durability.createDirectories(directory, Durability.Disk)
      val written = directory.resolve(s".$name.${UUID.randomUUID()}")
      try {
        fill(written, write)
        faults.at(Step.StateWritten)
        Files.createLink(directory.resolve(name), written)
        Durability.Disk.syncDirectory(directory)
        PutOutcome.Created
      } catch {
        case _: FileAlreadyExistsException => PutOutcome.Taken
      } finally Files.deleteIfExists(written)
    }

  override def delete(name: String): Unit = LocalFiles.writing(directory.resolve(name)) {
    Files.deleteIfExists(directory.resolve(name))
    ()
  }

  override def in(below: String): StateFiles = new LocalStateFiles(directory.resolve(below).toString, faults)

  override def describe(name: String): String = directory.resolve(name).toString

  private def directory: Path = Paths.get(root)

  private def fill(file: Path, write: OutputStream => Unit): Unit = {
    val raw = new FileOutputStream(file.toFile)
    try {
      val out = new BufferedOutputStream(raw)
      write(out)
      out.flush()
      raw.getFD.sync()
    } finally raw.close()
  }
}
