// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.collection.{Map => AnyMap}
import scala.jdk.CollectionConverters._

import org.apache.iceberg.{TableMetadata, TableOperations}
import org.apache.iceberg.exceptions.CommitStateUnknownException

import stoplog.announce.AnnouncementId

/** Commits to a table, with the position of a log in the same metadata.
  *
  * Iceberg retries a commit on newer metadata. Therefore the check is here: each attempt compares the
  * position in the metadata that the commit replaces. The catalog replaces exactly this metadata, or the
  * attempt fails.
  *
  * @param table    the operations of the catalog
  * @param before   the stored position from which the changes were derived
  * @param position to be stored
  * @param others   other properties of the commit
  * @param read     the properties from which the commit was derived
  */
private[iceberg] final class PositionedOperations(
    table: TableOperations,
    before: Option[AnnouncementId],
    position: StoredPosition,
    others: Map[String, String],
    read: ReadProperties = ReadProperties.none
) extends ForwardingOperations(table) {

  override def commit(base: TableMetadata, metadata: TableMetadata): Unit = {
    val stored = StoredPosition.in(base, position.key)
    if (stored != before || read.haveChanged(base.properties.asScala))
      throw new PositionChanged
    val kept     = others + (position.key -> position.value)
    val outdated = position.outdated(base.properties.asScala)
    table.commit(
      base,
      TableMetadata.buildFrom(metadata).setProperties(kept.asJava).removeProperties(outdated.asJava).build()
    )
  }
}

/** The properties of a table from which a commit was derived.
  *
  * @param isRead whether a commit depends on the property of this name
  */
private[iceberg] final class ReadProperties(isRead: String => Boolean, properties: AnyMap[String, String]) {
  private val read = values(properties)

  def haveChanged(now: AnyMap[String, String]): Boolean = values(now) != read

  private def values(all: AnyMap[String, String]): Map[String, String] = all.view.filterKeys(isRead).toMap
}

private[iceberg] object ReadProperties {
  val none: ReadProperties = new ReadProperties(_ => false, Map.empty)
}

/** Another commit has changed the position, or other properties of the path: of another driver, of another
  * log, or an earlier attempt of this commit whose success the catalog reported as a failure.
  *
  * Iceberg deletes the manifests of a failed commit, except after a commit with an unknown outcome. Manifests
  * of an earlier attempt may be part of the table. Therefore this exception is of Iceberg's class for unknown
  * outcomes.
  */
private[iceberg] final class PositionChanged
    extends CommitStateUnknownException(
      new IllegalStateException("another commit has changed the position")
    )
