// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.StructType

import stoplog.format.RowSink

import stoplog.twophase.{TwoPhaseEngineSink, TwoPhaseSettings}
import stoplog.options.{LogOptions, OptionReader, SinkOptionRegistry, SparkOptions}
import stoplog.util.UserObject

/** The user's own sink, where the option `sink` names one. */
private[spark] object UserSink {

  /** Errors: `STOPLOG_USER_CODE`, `STOPLOG_INVALID_OPTIONS`. */
  def of(schema: StructType, options: JMap[String, String]): Option[SinkTable[_]] = {
    val key      = LogOptions.UserSink.key
    val caseless = SparkOptions.caseless(options)
    Option(caseless.get(key)).map { reference =>
      val sink     = UserObject.load(reference, classOf[RowSink], key)
      val settings = settingsOf(caseless.asCaseSensitiveMap)
      TwoPhaseTable(new TwoPhaseEngineSink(schema, sink.open(caseless, _), settings), options)
    }
  }

  private def settingsOf(options: JMap[String, String]): TwoPhaseSettings = {
    val asked = new OptionReader(options.asScala.toSeq, SinkOptionRegistry.all)
    val log   = LogOptions.parse(asked)
    asked.errors.throwIfAny()
    TwoPhaseSettings.of(log, fixed = Map.empty)
  }
}
