// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import java.io.{BufferedOutputStream, IOException, InputStream, OutputStream}
import java.security.{DigestInputStream, DigestOutputStream, MessageDigest}
import java.util.UUID

import scala.util.Try

import org.apache.hadoop.fs.Path

import stoplog.fault.{Faults, Step}
import stoplog.log.PutOutcome
import stoplog.source.log.StateFiles

/** A source's state on a file system that Hadoop knows.
  *
  * @param directory relative to the root
  */
final class HadoopStateFiles(
    files: HadoopFiles,
    directory: String,
    exclusion: Exclusion,
    faults: Faults = Faults.none
) extends StateFiles {

  override def list(): Vector[String] =
    files.list(files.at(directory)).map(_.getPath.getName).filterNot(_.startsWith(".")).sorted

  override def open(name: String): InputStream = files.fileSystem.open(at(name))

  override def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = files.writing(at(name)) {
    exclusion match {
      case Exclusion.ByRename => renamed(name, write)
      case Exclusion.ByCreate => created(name, write)
    }
  }

  override def delete(name: String): Unit = files.writing(at(name))(files.delete(at(name)))

  override def in(below: String): StateFiles =
    new HadoopStateFiles(files, if (directory.isEmpty) below else s"$directory/$below", exclusion, faults)

  override def describe(name: String): String = at(name).toString

  private def at(name: String): Path = files.at(if (directory.isEmpty) name else s"$directory/$name")

  /** Written elsewhere first, so that nobody sees half of it. */
  private def renamed(name: String, write: OutputStream => Unit): PutOutcome = {
    val written = at(s".$name.${UUID.randomUUID()}")
    val out     = files.create(written)
    try {
      val buffered = new BufferedOutputStream(out)
      write(buffered)
      buffered.flush()
      HadoopDurability.Disk.flush(out)
    } finally out.close()
    faults.at(Step.StateWritten)
    files.renameInto(written, at(name)) match {
      case Renamed.Done => PutOutcome.Created
      case _            =>
        files.delete(written)
        PutOutcome.Taken
    }
  }

  /** An object appears whole when its stream is closed, or, if there is one by then, not at all.
    *
    * A client that asks again when an answer is lost is refused for the sake of its own first try: so it is not the
    * refusal that tells whose file it is, but its bytes.
    */
  private def created(name: String, write: OutputStream => Unit): PutOutcome =
    if (files.status(at(name)).isDefined) PutOutcome.Taken
    else
      try {
        val out = files.createAlone(at(name))
        try write(out)
        catch {
          case e: Throwable => // closing it would make half an object
            Try(out.abort())
            throw e
        }
        out.close()
        PutOutcome.Created
      } catch {
        case e: IOException =>
          if (files.status(at(name)).isEmpty) throw e
          else if (isOurs(name, write)) PutOutcome.Created
          else PutOutcome.Taken
      }

  private def isOurs(name: String, write: OutputStream => Unit): Boolean = {
    val ours = new DigestOutputStream(OutputStream.nullOutputStream(), MessageDigest.getInstance("SHA-256"))
    write(ours)
    val found = new DigestInputStream(open(name), MessageDigest.getInstance("SHA-256"))
    try found.transferTo(OutputStream.nullOutputStream())
    finally found.close()
    MessageDigest.isEqual(ours.getMessageDigest.digest(), found.getMessageDigest.digest())
  }
}
