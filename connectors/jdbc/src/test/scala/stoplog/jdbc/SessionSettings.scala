// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.Connection

import scala.util.Using

import stoplog.jdbc.client.ConnectionSource

/** Connections to MySQL or MariaDB whose sessions have some settings, such as `time_zone = '+01:00'`. */
final case class SessionSettings(connector: ConnectionSource, settings: String*) extends ConnectionSource {
  override def open(): Connection = {
    val opened = connector.open()
    Using.resource(opened.createStatement()) { statement =>
      settings.foreach(setting => statement.execute(s"SET SESSION $setting"))
    }
    opened
  }
}
