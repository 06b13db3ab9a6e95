// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import com.datastax.oss.driver.api.core.config.{DefaultDriverOption => Default}
import org.scalatest.funsuite.AnyFunSuite

class ConnectionSuite extends AnyFunSuite {

  test("a driver setting changes only the given setting") {
    val settings = Map(
      "datastax-java-driver.advanced.heartbeat.interval" -> "7 seconds",
      "datastax-java-driver.basic.request.timeout"       -> "4321 milliseconds"
    )
    val asked   = CassandraNode.shared.connection.copy(driverSettings = settings)
    val session = asked.open()
    try {
      val known = session.getContext.getConfig.getDefaultProfile
      assert(known.getDuration(Default.HEARTBEAT_INTERVAL).toMillis === 7000)
      assert(known.getDuration(Default.REQUEST_TIMEOUT).toMillis === 4321)
      assert(known.getDuration(Default.RECONNECTION_MAX_DELAY).toMillis === 5000)
      assert(session.execute("SELECT key FROM system.local").one() != null)
    } finally session.close()
  }
}
