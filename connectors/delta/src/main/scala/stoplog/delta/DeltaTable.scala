// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.io.FileNotFoundException
import java.net.URI
import java.util.{List => JList, Optional}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}
import scala.util.control.NonFatal

import io.delta.kernel.{Operation, TableManager, Transaction}
import io.delta.kernel.commit.{CommitFailedException, Committer}
import io.delta.kernel.data.{ColumnVector, FilteredColumnarBatch, Row}
import io.delta.kernel.defaults.engine.DefaultEngine
import io.delta.kernel.exceptions.{KernelException, TableAlreadyExistsException, TableNotFoundException}
import io.delta.kernel.expressions.Column
import io.delta.kernel.hook.PostCommitHook.PostCommitHookType
import io.delta.kernel.internal.{InternalScanFileUtils, SnapshotImpl}
import io.delta.kernel.internal.actions.{AddFile, CommitInfo, SetTransaction}
import io.delta.kernel.internal.replay.{ActionWrapper, ActionsIterator}
import io.delta.kernel.internal.util.Utils
import io.delta.kernel.transaction.DataLayoutSpec
import io.delta.kernel.types.StructType
import io.delta.kernel.utils.{CloseableIterable, CloseableIterator, FileStatus}
import org.apache.hadoop.conf.Configuration

import stoplog.announce.table.{Refusal, TablePosition}
import stoplog.error.Log
import stoplog.storage.Digits

/** The table in the directory of a sink.
  *
  * @param root with scheme and authority
  */
private[delta] final class DeltaTable(val root: String, committer: Committer, configuration: Configuration) {
  import DeltaTable._

  private val engine = DefaultEngine.create(configuration)

  /** The newest version; `None` if the directory has no table. */
  def newest: Option[SnapshotImpl] =
    try
      TableManager.loadSnapshot(root).withCommitter(committer).build(engine) match {
        case snapshot: SnapshotImpl => Some(snapshot)
        case other                  => throw new IllegalStateException(s"unknown class ${other.getClass}")
      }
    catch { case _: TableNotFoundException => None }

  /** Returns the newest stored id with this prefix. `RESTORE` keeps the identifiers of the table, and returns
    * to the files of an older version.
    */
  def position(snapshot: SnapshotImpl, prefix: String): TablePosition = {
    val segment = read(snapshot.getLogSegment.allLogFilesReversed, prefix, Newest(None, 0, Vector.empty))
    // The segment does not have the commits up to its checkpoint, and one of them may be a restore.
    val found = if (segment.id.isEmpty) segment else before(commits(segment.version), prefix, segment)
    TablePosition.of(found.id.flatMap(StoredPosition.of(prefix, _)))(_ => found.isSetBack)
  }

  /** Reads commits, newest first, up to the commit of the identifier. */
  @tailrec
  private def before(commits: Iterator[FileStatus], prefix: String, known: Newest): Newest =
    if (known.isInCommit || !commits.hasNext) known
    else before(commits, prefix, read(JList.of(commits.next()), prefix, known))

  /** Returns the commits of this version and of earlier versions, newest first, as far as the log keeps them.
    */
  private def commits(version: Long): Iterator[FileStatus] = Iterator
    .iterate(version)(_ - 1)
    .takeWhile(_ >= 0)
    .take(MostCommits)
    .map { each =>
      try Some(engine.getFileSystemClient.getFileStatus(s"$root/$LogDirectory/${Digits.of(each)}.json"))
      catch { case _: FileNotFoundException => None }
    }
    .takeWhile(_.isDefined)
    .flatten

  private def read(files: JList[FileStatus], prefix: String, known: Newest): Newest =
    Using.resource(new ActionsIterator(engine, files, PositionActions, Optional.empty()))(
      positionIn(_, prefix, known)
    )

  /** Commits follow each other, the newest first; the rows of a checkpoint have no order. */
  @tailrec
  private def positionIn(batches: CloseableIterator[ActionWrapper], prefix: String, known: Newest): Newest =
    if (!batches.hasNext) known
    else {
      val batch = batches.next()
      val ids   =
        rows(batch, column = 0)(SetTransaction.fromColumnVector(_, _)).filter(_.getAppId.startsWith(prefix))
      val next = known.copy(
        id = (known.id ++ ids).maxByOption(_.getLastUpdated.orElse(0L)),
        version = batch.getVersion,
        restores = known.restores ++
          rows(batch, column = 1)(CommitInfo.fromColumnVector(_, _))
            .flatMap(restoredVersion)
            .map(Restore(batch.getVersion, _)),
        isInCommit = ids.nonEmpty && !batch.isFromCheckpoint
      )
      if (next.isInCommit) next else positionIn(batches, prefix, next)
    }

  private def rows[A](batch: ActionWrapper, column: Int)(read: (ColumnVector, Int) => A): Vector[A] = {
    val found = batch.getColumnarBatch.getColumnVector(column)
    (0 until found.getSize).filterNot(found.isNullAt).map(read(found, _)).toVector
  }

  /** The files of the table with these paths, relative to the root. */
  def files(snapshot: SnapshotImpl, paths: Set[String]): Map[String, AddFile] =
    if (paths.isEmpty) Map.empty
    else ofFiles(snapshot)(_.flatMap(file => pathOf(file).filter(paths).map(_ -> file)).toMap)

  /** Calls `work` with all files of the table. */
  def ofFiles[A](snapshot: SnapshotImpl)(work: Iterator[AddFile] => A): A =
    Using.resource(rowsOf(snapshot)) { rows =>
      work(rows.asScala.map(row => new AddFile(row.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL))))
    }

  /** Commits actions to the version after the snapshot.
    *
    * Throws [[VersionTaken]] if the table has another such version, and [[CommitUnknown]].
    */
  def commit(snapshot: SnapshotImpl, actions: Vector[Row]): Unit = {
    val update = snapshot.buildUpdateTableTransaction(EngineName, Operation.WRITE).withMaxRetries(0)
    committed(update.build(engine), actions)
  }

  /** Creates the table with actions in its first version. Throws as [[commit]], and [[Refusal]]. */
  def create(
      columns: StructType,
      partitionColumns: Vector[String],
      properties: Map[String, String],
      actions: Vector[Row]
  ): Unit = {
    val layout =
      if (partitionColumns.isEmpty) DataLayoutSpec.noDataLayout
      else DataLayoutSpec.partitioned(partitionColumns.map(new Column(_)).asJava)
    val transaction =
      try
        TableManager
          .buildCreateTableTransaction(root, columns, EngineName)
          .withTableProperties(properties.asJava)
          .withDataLayoutSpec(layout)
          .withCommitter(committer)
          .withMaxRetries(0)
          .build(engine)
      catch {
        case _: TableAlreadyExistsException                         => throw new VersionTaken
        case e @ (_: KernelException | _: IllegalArgumentException) =>
          throw new Refusal(
            s"Delta cannot create the table: ${String.valueOf(e.getMessage).stripSuffix(".")}"
          )
      }
    committed(transaction, actions)
  }

  private def committed(transaction: Transaction, actions: Vector[Row]): Unit = {
    val rows   = CloseableIterable.inMemoryIterable(Utils.toCloseableIterator(actions.iterator.asJava))
    val result =
      try transaction.commit(engine, rows)
      catch {
        case e: Exception =>
          throw causes(e)
            .collectFirst { case failed: CommitFailedException =>
              if (failed.isConflict) new VersionTaken else new CommitUnknown(failed)
            }
            .getOrElse(e)
      }
    // A checkpoint only shortens the next reading.
    result.getPostCommitHooks.asScala.filter(_.getType == PostCommitHookType.CHECKPOINT).foreach { hook =>
      try hook.threadSafeInvoke(engine)
      catch {
        case NonFatal(e) =>
          Log.warn(s"The table $root gets no checkpoint at version ${result.getVersion}.", e)
      }
    }
  }

  private def rowsOf(snapshot: SnapshotImpl): CloseableIterator[Row] = {
    val batches: CloseableIterator[FilteredColumnarBatch] =
      snapshot.getScanBuilder.build().getScanFiles(engine)
    Utils.intoRows(batches)
  }
}

private[delta] object DeltaTable {
  val LogDirectory = "_delta_log"

  private val EngineName = "stoplog"

  private val PositionActions =
    new StructType().add("txn", SetTransaction.FULL_SCHEMA).add("commitInfo", CommitInfo.FULL_SCHEMA)

  /** Read before a checkpoint. Each delivery is a commit, so the identifier is rarely older. */
  private final val MostCommits = 100

  /** The newest identifier of a log.
    *
    * @param version    of its commit, or of the oldest version that was read
    * @param restores   the later restores, newest first
    * @param isInCommit whether its commit was read, and not only a checkpoint
    */
  private final case class Newest(
      id: Option[SetTransaction],
      version: Long,
      restores: Vector[Restore],
      isInCommit: Boolean = false
  ) {

    /** The newest restore counts, unless it returns to a state that an earlier restore has made. */
    def isSetBack: Boolean =
      restores.foldLeft(Long.MaxValue)((state, next) => if (next.at <= state) next.to else state) < version
  }

  /** @param at the version of the commit
    * @param to the version of the files; -1 if unknown
    */
  private final case class Restore(at: Long, to: Long)

  private def restoredVersion(commit: CommitInfo): Option[Long] =
    Option.when(commit.getOperation.orElse("") == "RESTORE") {
      Option(commit.getOperationParameters.get("version")).flatMap(_.toLongOption).getOrElse(-1L)
    }

  /** The path in the log is a URI; files of other directories have absolute paths. */
  private def pathOf(file: AddFile): Option[String] = Try(new URI(file.getPath).getPath).toOption

  private def causes(e: Throwable): Iterator[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null)
}

/** Another commit has created the version: of another writer, or an earlier attempt of this commit. */
private[delta] final class VersionTaken extends RuntimeException("the table has a newer version")

/** The storage did not confirm a commit. */
private[delta] final class CommitUnknown(cause: Throwable) extends RuntimeException(cause.getMessage, cause)
