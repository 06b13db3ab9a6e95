// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream, OutputStream}
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import stoplog.error.Errors
import stoplog.part.SpoolFile
import stoplog.sink.Staged
import stoplog.storage.{NewPart, NoFiles, SpoolFiles}
import stoplog.thread.Clock

/** Spool files in memory, with the time at which each was written. */
final class MemorySpoolFiles(clock: Clock = Clock.system) extends SpoolFiles(NoFiles, "main") {
  private val files = new ConcurrentHashMap[String, (Array[Byte], Long)]

  override def write(part: NewPart)(content: OutputStream => Unit): String = {
    val token = s"beside/${part.name}-${files.size}-${System.identityHashCode(new Object)}"
    val bytes = new ByteArrayOutputStream()
    content(bytes)
    files.put(token, bytes.toByteArray -> clock.millis())
    token
  }

  override def read(file: SpoolFile): InputStream = Option(files.get(file.token)) match {
    case Some((bytes, _)) => new ByteArrayInputStream(bytes)
    case None             => throw Errors.partShort(file.token, 0, file.sizeBytes)
  }

  override def staged(): Vector[Staged] =
    files.asScala.iterator.map { case (token, (_, millis)) => Staged(token, millis) }.toVector

  override def discard(tokens: Seq[String]): Unit = tokens.foreach(files.remove(_))
}
