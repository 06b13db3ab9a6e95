// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel

import stoplog.options.OptionType

/** The consistency levels that there are. */
private[cassandra] object Levels {
  import DefaultConsistencyLevel._

  // ANY would count a row as written that no replica has.
  val data: OptionType[DefaultConsistencyLevel] =
    OptionType.named[DefaultConsistencyLevel](
      Seq(LOCAL_ONE, ONE, TWO, THREE, LOCAL_QUORUM, QUORUM, EACH_QUORUM, ALL)
    )(_.name)

  val serial: OptionType[DefaultConsistencyLevel] =
    OptionType.named[DefaultConsistencyLevel](Seq(SERIAL, LOCAL_SERIAL))(_.name)
}
