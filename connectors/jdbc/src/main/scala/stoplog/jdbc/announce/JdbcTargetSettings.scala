// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.announce

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.announce.setting.{SecretName, TargetSettings}
import stoplog.jdbc.client.TableName
import stoplog.jdbc.options.{JdbcOptionRegistry => Registry, JdbcOptions}
import stoplog.options.{Opt, OptionGroup}

/** @param jdbc     the options of a sink with the same table
  * @param password the name of the password, in place of the password
  */
private[announce] final case class JdbcTargetSettings(
    jdbc: JdbcOptions,
    positionTable: String,
    password: Option[SecretName]
)

private[announce] object JdbcTargetSettings {
  case object Announcements extends OptionGroup("Announcements")

  val PositionTable: Opt[String] =
    Announcements.option("positionTable", Registry.DbTable.values, "etl.files_position")(
      "the name of the table with the suffix `_position`",
      "The table with the position of each log, created if absent."
    )

  val PasswordFrom: Opt[SecretName] =
    Announcements.option("passwordFrom", SecretName.values, "env:DB_PASSWORD")(
      "`password`",
      "The name of a secret that contains the password."
    )

  private val ofSink: Seq[Opt[_]] = Seq(
    Registry.Url,
    Registry.DbTable,
    Registry.Driver,
    Registry.User,
    Registry.Password,
    Registry.DialectName,
    Registry.QueryTimeout
  )

  val all: Seq[Opt[_]] = ofSink ++ Seq(PositionTable, PasswordFrom)

  def parse(settings: JMap[String, String]): JdbcTargetSettings = TargetSettings.read(settings, all) {
    reader =>
      val password = reader.get(PasswordFrom)
      if (reader.isSet(PasswordFrom))
        reader.withoutEffect(Seq(Registry.Password), s"with ${PasswordFrom.key}")
      val ofTable = ofSink.flatMap(option => reader.text(option).map(option.key -> _)).toMap
      // Adds further problems to the problems of this reader.
      val jdbc      = JdbcOptions.parse(ofTable.asJava, reader.errors)
      val positions = reader.text(PositionTable).getOrElse(TableName.withSuffix(jdbc.at.table, "_position"))
      JdbcTargetSettings(jdbc, positions, password)
  }
}
