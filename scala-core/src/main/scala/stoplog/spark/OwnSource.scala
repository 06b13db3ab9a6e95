// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.types.StructType

import stoplog.format.read.RowSource
import stoplog.options.{ContentOptions, SparkOptions}
import stoplog.util.UserObject

/** The user's own source, where the option `source` names one. */
private[spark] object OwnSource {

  /** Error: `STOPLOG_USER_CODE`. */
  def of(options: JMap[String, String]): Option[RowSource] = {
    val key = ContentOptions.OwnSource.key
    Option(SparkOptions.caseless(options).get(key)).map(UserObject.load(_, classOf[RowSource], key))
  }

  def schema(source: RowSource, options: JMap[String, String]): StructType =
    source.schema(SparkOptions.caseless(options))
}
