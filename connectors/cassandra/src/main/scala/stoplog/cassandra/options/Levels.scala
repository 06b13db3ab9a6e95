// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel

/** The consistency levels that there are. */
private[cassandra] object Levels {
  import DefaultConsistencyLevel._

  // ANY would count a row as written that no replica has.
  val data: Seq[DefaultConsistencyLevel] =
    Seq(LOCAL_ONE, ONE, TWO, THREE, LOCAL_QUORUM, QUORUM, EACH_QUORUM, ALL)

  val serial: Seq[DefaultConsistencyLevel] = Seq(SERIAL, LOCAL_SERIAL)

  def words(levels: Seq[DefaultConsistencyLevel]): String = {
    val quoted = levels.map(level => s"`$level`")
    s"${quoted.init.mkString(", ")} or ${quoted.last}"
  }
}
