// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** A part of the matrix' page, written by the run that proves it. */
sealed abstract class Chapter(val title: String) extends Product with Serializable

object Chapter {

  /** Queries and batch jobs on a storage. */
  final case class Writing(storage: Storage) extends Chapter(storage.name)

  /** Queries that merge their small parts. */
  final case class Merging(storage: Storage) extends Chapter(s"Small parts are merged: ${storage.name}")

  /** Queries that read files. */
  final case class Reading(storage: SourceStorage) extends Chapter(s"The file source: ${storage.name}")

  /** In the order of the page. */
  val all: Vector[Chapter] =
    Storage.all.map(Writing) ++ Vector(Storage.Local, Storage.Hdfs, Storage.S3).map(Merging) ++
      SourceStorage.all.map(Reading)
}
