// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream, OutputStream}

import stoplog.error.Errors
import stoplog.part.SpoolFile
import stoplog.sink.Staged
import stoplog.storage._

/** Spool files on the simulated disk: made, written in two steps, and forced; a crash may come between any of them. */
final class SimSpoolFiles(world: World, sinkId: String) extends SpoolFiles(NoFiles, "main") {
  import world.op

  private def disk = world.place.disk

  override def write(part: NewPart)(content: OutputStream => Unit): String = {
    val bytes = new ByteArrayOutputStream()
    content(bytes) // reads other spool files, maybe
    val token = s"$sinkId/beside/${part.name}.${part.run.value.takeRight(3)}-${world.unique()}"
    val inode = world.own(s"create $token")(disk.createBeside(token, world.scheduler.current.process))
    val half  = bytes.size / 2
    world.own(s"write half of $token")(disk.write(inode, 0, bytes.toByteArray, 0, half))
    world.own(s"write all of $token")(disk.write(inode, half, bytes.toByteArray, half, bytes.size - half))
    world.own(s"force $token") {
      inode.durable = inode.length
    }
    token
  }

  override def read(file: SpoolFile): InputStream = op(s"read ${file.token}") {
    val inode = disk.beside.get(file.token).filter(_.length >= file.sizeBytes)
    val there = inode.getOrElse(throw Errors.partShort(file.token, 0, file.sizeBytes))
    new ByteArrayInputStream(there.bytes, 0, there.length)
  }

  override def staged(): Vector[Staged] = op("list spool files") {
    world
      .unfinished(disk.beside.valuesIterator.filter(inode => Disk.sinkOf(inode.token) == sinkId))
      .map(inode => Staged(inode.token, inode.modifiedAtMillis + world.traits.storageClockSkewMillis))
      .toVector
  }

  override def discard(tokens: Seq[String]): Unit = tokens.foreach { token =>
    op(s"discard $token") {
      disk.oracle(token).deletingBeside(token)
      disk.beside.remove(token)
    }
  }
}
