// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.error.Errors
import stoplog.options.{Opt, SparkOptions}

/** What a connector's sender and committers are told: the options of a write that begin with its word and a dot, here without.
  */
private[stoplog] final class ConnectorOptions private (own: Seq[(String, String)]) {

  def text(option: Opt[_]): Option[String] = own.collectFirst {
    case (key, value) if key.equalsIgnoreCase(option.key) => value
  }

  def without(option: Opt[_]): ConnectorOptions =
    new ConnectorOptions(own.filterNot(_._1.equalsIgnoreCase(option.key)))

  /** With a value for what was not set, if there is one. */
  def withDefault(option: Opt[_], value: Option[String]): ConnectorOptions =
    new ConnectorOptions(own ++ value.filter(_ => text(option).isEmpty).map(option.key -> _))

  /** As those of a sink of the connector's own. */
  def asJava: JMap[String, String] = own.toMap.asJava
}

private[stoplog] object ConnectorOptions {

  /** Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param options all of a write
    * @param word    of the connector
    * @param idle    options of a sink of the connector's own that mean nothing here
    */
  def of(options: JMap[String, String], word: String, idle: Seq[Opt[_]]): ConnectorOptions = {
    val prefix = s"$word."
    val own    = new ConnectorOptions(SparkOptions.spelled(options).collect {
      case (key, value) if key.regionMatches(true, 0, prefix, 0, prefix.length) =>
        key.drop(prefix.length) -> value
    })
    val set = idle.filter(own.text(_).isDefined)
    if (set.nonEmpty)
      throw Errors.invalidOptions(
        set.map(option => s"$prefix${option.key} has no effect in a write-ahead sink: remove it.")
      )
    own
  }
}
