// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import stoplog.error.Log

/** The files of one kind of change in a commit.
  *
  * @param removed files of the table
  * @tparam F a file as the table describes it
  */
private[stoplog] final case class FileGroup[F](
    kind: FileGroup.Kind,
    added: Vector[AddedFile],
    removed: Vector[F]
) {
  def isEmpty: Boolean = added.isEmpty && removed.isEmpty
}

private[stoplog] object FileGroup {
  import RemovedFile.Expected
  import Replacement.Rows

  sealed trait Kind
  object Kind {
    case object Append extends Kind

    /** The added files have the rows of the removed files. */
    case object Rewrite extends Kind

    case object Overwrite extends Kind
  }

  /** Returns the changes that the table lacks.
    *
    * Throws [[Refusal]] if the table does not know a removed file, or if a compacted file contains deleted
    * rows.
    *
    * @param present the files of the table that the changes concern
    * @param absent  see [[AbsentFiles]]
    */
  def of[F](
      changes: FileChanges,
      present: Map[String, F],
      absent: Set[String],
      deleted: DeletedRows[F]
  ): Vector[FileGroup[F]] = {
    def isKnown(path: String) = present.contains(path) || absent(path) || changes.leftOut(path)

    def missing(files: Vector[AddedFile]) =
      files.filterNot(file => file.ifMissing && present.contains(file.file.path))

    def found(files: Vector[RemovedFile]) = files.flatMap(file => present.get(file.path))

    // If the table has no former file of a compaction, the table never had the rows, or another writer has
    // rewritten them into other files. The rows of a file that is added now are in no other file.
    val replacements = changes.replacements.filter(each =>
      each.rows != Rows.Same ||
        each.removed.exists(file => isKnown(file.path) || file.expected == Expected.PerhapsAdded)
    )
    // Readers of changes skip a rewrite, because a rewrite has no new rows.
    val (compactions, overwrites) =
      replacements.partition(each =>
        each.rows == Rows.Same && each.removed.forall(file => present.contains(file.path))
      )
    val removed = changes.removed ++ replacements.flatMap(_.removed)
    refuseUnknown(removed, isKnown, changes.restart)
    removed.find(file => !present.contains(file.path)).foreach { file =>
      Log.info(s"The removal of ${file.path} has no effect: the table does not have the file")
    }
    found(replacements.filter(_.keepsRows).flatMap(_.removed)).foreach(deleted.refuseCompaction)
    Vector(
      FileGroup(Kind.Append, missing(changes.added), Vector.empty),
      FileGroup(Kind.Rewrite, missing(compactions.flatMap(_.added)), found(compactions.flatMap(_.removed))),
      FileGroup(
        Kind.Overwrite,
        missing(overwrites.flatMap(_.added)),
        found(changes.removed ++ overwrites.flatMap(_.removed))
      )
    )
  }

  private def refuseUnknown(
      removed: Vector[RemovedFile],
      isKnown: String => Boolean,
      restart: String
  ): Unit = {
    val unknown = removed.filter(file => file.expected == Expected.InTable && !isKnown(file.path))
    if (unknown.nonEmpty)
      throw new Refusal(
        s"${unknown.size} of ${removed.size} removed files are not in the table, such as ${unknown.head.path}: their " +
          "announcements wait in another log of the path, the target was attached later, has skipped their announcements, or " +
          s"another writer has rewritten the files. Run the command announce. $restart, if the files stay unknown. With " +
          "onRefused = skip the table keeps the rows, and lacks the files that replace them"
      )
  }
}
