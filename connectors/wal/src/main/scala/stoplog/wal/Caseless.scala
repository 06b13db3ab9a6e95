// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Options as senders and committers get them: in any case of their names. */
private[wal] object Caseless {
  def apply(options: Map[String, String]): JMap[String, String] = new CaseInsensitiveStringMap(options.asJava)
}
