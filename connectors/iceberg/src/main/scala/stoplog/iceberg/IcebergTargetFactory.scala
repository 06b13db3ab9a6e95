// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.util.{Map => JMap}

import stoplog.announce.{AnnouncementTarget, TargetFactory}

/** Creates targets of the kind `iceberg`: an Iceberg table that contains the finished files of a sink. */
final class IcebergTargetFactory extends TargetFactory {

  override def kind: String = "iceberg"

  override def settings: Set[String] = IcebergSettings.Names

  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget =
    new IcebergTarget(IcebergSettings.of(settings))
}
