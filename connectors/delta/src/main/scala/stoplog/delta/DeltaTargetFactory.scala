// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.util.{Map => JMap}

import scala.util.Try

import stoplog.announce.{AnnouncementTarget, TargetFactory}

/** Creates targets of the kind `delta`: the directory of a sink as a Delta table.
  *
  * @param hasClass whether the session has a class
  */
final class DeltaTargetFactory private[delta] (hasClass: String => Boolean) extends TargetFactory {
  import DeltaTargetFactory._

  def this() = this(DeltaTargetFactory.isLoadable(_))

  override def kind: String = "delta"

  override def settings: Set[String] = DeltaSettings.Names

  override def tableEntry: Option[String] = Some(DeltaTable.LogDirectory)

  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget = {
    if (!hasClass(OfNewParquet))
      throw new IllegalArgumentException(
        "Delta Kernel needs Parquet 1.16, and this session has an older Parquet. Use Spark 4.1 or later"
      )
    new DeltaTarget(name, DeltaSettings.of(settings))
  }
}

private object DeltaTargetFactory {

  /** A class since Parquet 1.16, without which Kernel cannot read or write checkpoints. */
  private val OfNewParquet = "org.apache.parquet.schema.LogicalTypeAnnotation$GeometryLogicalTypeAnnotation"

  private def isLoadable(name: String): Boolean = Try(Class.forName(name)).isSuccess
}
