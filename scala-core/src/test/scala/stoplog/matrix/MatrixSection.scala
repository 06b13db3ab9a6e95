// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** A part of the matrix' page, written by the run that proves it. */
sealed abstract class MatrixSection(val title: String, val page: MatrixPage = MatrixPage.OfFiles)
    extends Product
    with Serializable

object MatrixSection {

  /** Queries and batch jobs on a storage. */
  final case class Writing(storage: Storage) extends MatrixSection(storage.name)

  /** Queries that merge their small parts. */
  final case class Compacting(storage: Storage)
      extends MatrixSection(s"Small parts are merged: ${storage.name}")

  /** Queries that read files. */
  final case class Reading(storage: SourceStorage) extends MatrixSection(s"The file source: ${storage.name}")

  /** Queries and batch jobs with a target of announcements. */
  case object Announcing extends MatrixSection("Announcements", MatrixPage.OfFiles)

  /** Queries that write through a connector. */
  sealed abstract class Sending(title: String) extends MatrixSection(title, MatrixPage.OfConnectors)

  case object Kafka               extends Sending("Kafka: exactly-once delivery")
  case object DatabaseInserts     extends Sending("Databases: exactly-once inserts")
  case object DatabaseUpserts     extends Sending("Databases: upserts")
  case object Cassandra           extends Sending("Cassandra: upserts")
  case object WriteAhead          extends Sending("Write-ahead: any target")
  case object WriteAheadDatabase  extends Sending("Write-ahead: a database that has the notes")
  case object WriteAheadCassandra extends Sending("Write-ahead: Cassandra")

  /** In the order of the page of files. */
  val ofFiles: Vector[MatrixSection] =
    Storage.all.map(Writing) ++ Vector(Storage.Local, Storage.Hdfs, Storage.S3).map(Compacting) ++
      SourceStorage.all.map(Reading) :+ Announcing

  /** In the order of the page of connectors. */
  val ofConnectors: Vector[MatrixSection] = Vector(
    Kafka,
    DatabaseInserts,
    DatabaseUpserts,
    Cassandra,
    WriteAhead,
    WriteAheadDatabase,
    WriteAheadCassandra
  )
}
