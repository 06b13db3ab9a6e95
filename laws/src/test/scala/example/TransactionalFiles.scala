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

/** A complete example of a custom sink. Each task of each epoch writes the first column as lines to a
  * separate file, which gets its final name when the epoch is committed.
  *
  * Supports local disks only. stoplog's own file sink supports more, such as files that span several epochs.
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

/** The file of a task attempt, in the directory of uncommitted files. The name is globally unique. */
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

  /** The first letter hides the directory from readers. */
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

  /** Creates a link instead of a rename, so that no file is ever overwritten; a repeated call finds the
    * earlier result.
    */
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
