// SPDX-License-Identifier: Apache-2.0
package example

import java.io.Writer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file._
import java.nio.file.StandardOpenOption.{CREATE_NEW, WRITE}
import java.util.{Map => JMap, UUID}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.format.RowSink
import stoplog.sink._

/** A sink of one's own, from its beginning to its end: each task of each epoch writes the first column as lines to a
  * file of its own, which gets its final name when the epoch is committed.
  *
  * Local disks only. stoplog's own files do more, such as to go on with a file in the next epoch.
  */
final class TransactionalFiles extends RowSink {
  override def open(options: JMap[String, String], schema: StructType): TwoPhaseSink[InternalRow] =
    new TransactionalFileSink(options.get("path"))
}

final class TransactionalFileSink(directory: String) extends TwoPhaseSink[InternalRow] {
  override def target: String = directory

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] =
    new FileTransaction(FileTransaction.begin(directory, task))

  override def committer(): TwoPhaseCommitter = new FileCommitter(Path.of(directory))
}

/** The file of one attempt of one task, in the directory of what is not committed. Its name occurs once in the world. */
final class FileTransaction(file: Path) extends TwoPhaseWriter[InternalRow] {
  private val out: Writer = Files.newBufferedWriter(file, UTF_8, CREATE_NEW)
  private var rows        = 0L

  override def write(row: InternalRow): Unit = {
    out.write(row.getUTF8String(0).toString)
    out.write('\n')
    rows += 1
  }

  override def prepare(): Vector[Prepared] = {
    out.close()
    FileTransaction.force(file)
    Vector(Prepared(file.getFileName.toString, file.getFileName.toString, rows, Files.size(file)))
  }

  override def abort(): Unit = {
    close()
    Files.deleteIfExists(file)
    ()
  }

  override def close(): Unit = out.close()
}

object FileTransaction {

  /** Hidden from readers by its first letter. */
  val Staging = "_staging"

  def begin(directory: String, task: WriterTask): Path = {
    val name = s"${task.epoch.fold("job")(_.toString)}-${task.partition}-${UUID.randomUUID()}.txt"
    Files.createDirectories(Path.of(directory, Staging)).resolve(name)
  }

  def force(file: Path): Unit = Using.resource(FileChannel.open(file, WRITE))(_.force(true))
}

/** Gives files their final names. */
final class FileCommitter(directory: Path) extends TwoPhaseCommitter {
  private val staging = directory.resolve(FileTransaction.Staging)

  /** A link and not a renaming, so that nothing is ever overwritten; asked again, it finds what it did before. */
  override def commit(prepared: Prepared): CommitOutcome = {
    val (from, to) = (staging.resolve(prepared.token), directory.resolve(prepared.name))
    if (Files.exists(to)) {
      Files.deleteIfExists(from)
      CommitOutcome.AlreadyCommitted
    } else if (!Files.exists(from)) CommitOutcome.Lost
    else {
      Files.createLink(to, from)
      Files.deleteIfExists(from)
      CommitOutcome.Committed
    }
  }

  override def staged(): Vector[Staged] =
    if (!Files.isDirectory(staging)) Vector.empty
    else
      Using.resource(Files.list(staging)) { files =>
        files.iterator.asScala
          .map(file => Staged(file.getFileName.toString, Files.getLastModifiedTime(file).toMillis))
          .toVector
      }

  override def abort(token: String): Unit = {
    Files.deleteIfExists(staging.resolve(token))
    ()
  }
}
