// SPDX-License-Identifier: Apache-2.0
package example

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardOpenOption.{APPEND, CREATE}
import java.nio.file.{Files, Path}

import stoplog.announce.{Announcement, AnnouncementJson, AnnouncementTarget, Delivery}

/** Appends each announcement as a line of JSON to a file of the driver. A repeated announcement has the same
  * `id`.
  */
final class AnnouncedLines(file: Path) extends AnnouncementTarget {
  def this() = this(Path.of("announced.jsonl"))

  override def check(): Unit =
    if (!Files.isDirectory(file.toAbsolutePath.getParent))
      throw new IllegalArgumentException(s"${file.toAbsolutePath.getParent} is not a directory.")

  override def deliver(announcements: Vector[Announcement]): Delivery =
    try {
      val lines = announcements.map(AnnouncementJson.text).mkString("", "\n", "\n")
      Files.write(file, lines.getBytes(UTF_8), CREATE, APPEND)
      Delivery.Delivered
    } catch { case e: IOException => Delivery.Retry(e.toString) }
}
