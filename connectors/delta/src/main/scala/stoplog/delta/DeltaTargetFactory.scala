// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.util.{Map => JMap}

import stoplog.announce.{AnnouncementTarget, TargetFactory}

/** Creates targets of the kind `delta`: the directory of a sink as a Delta table. */
final class DeltaTargetFactory extends TargetFactory {

  override def kind: String = "delta"

  override def settings: Set[String] = DeltaSettings.Names

  override def tableEntry: Option[String] = Some(DeltaTable.LogDirectory)

  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget =
    new DeltaTarget(name, DeltaSettings.of(settings))
}
