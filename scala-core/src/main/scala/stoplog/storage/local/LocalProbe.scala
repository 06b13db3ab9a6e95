// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.IOException
import java.nio.file.{Files, Path}
import java.util.UUID

import stoplog.error.Errors

/** Tries on an empty file what the sink will do with full ones, so that a start fails and not the first epoch. */
private[local] object LocalProbe {

  def probe(root: Path, sinkId: String, durability: LocalForcing): Unit = {
    val directory = root.resolve("_stoplog").resolve(sinkId).resolve("open")
    try {
      LocalForcing.createDirectories(directory, durability)
      val file = Files.createFile(directory.resolve(s".probe.${UUID.randomUUID()}"))
      val link = file.resolveSibling(s"${file.getFileName}.link")
      try linked(file, link)
      finally {
        Files.deleteIfExists(file)
        Files.deleteIfExists(link)
        ()
      }
    } catch { case e: IOException => throw Errors.pathNotWritable(root.toString, reason(e)) }
  }

  private def linked(file: Path, link: Path): Unit =
    try {
      Files.createLink(link, file)
      ()
    } catch {
      case e: UnsupportedOperationException => throw new IOException("its file system has no hard links", e)
    }

  private def reason(e: IOException): String = e match {
    case denied: java.nio.file.AccessDeniedException => s"access to ${denied.getFile} is denied"
    case other => s"${other.getClass.getSimpleName}: ${other.getMessage}"
  }
}
