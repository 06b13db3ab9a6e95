// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.net.{InetAddress, ServerSocket}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.kafka.client.ProducerSettings

/** Brokers that do not answer when a query is to start. */
class BrokerLimitsSuite extends AnyFunSuite {

  private def settings(client: (String, String)*) =
    ProducerSettings(client.toMap, transactionTimeoutMillis = 60000)

  test("the response timeout is max.block.ms, at most half a minute") {
    assert(BrokerLimits.answerMillis(settings("max.block.ms" -> " 3000 ")) === 3000)
    assert(BrokerLimits.answerMillis(settings("max.block.ms" -> "60000")) === 30000)
    assert(BrokerLimits.answerMillis(settings()) === 30000)
  }

  test("a silent broker is reported with its address and timeout as an argument error") {
    Using.resource(new ServerSocket(0, 1, InetAddress.getLoopbackAddress)) { silent =>
      val servers = s"127.0.0.1:${silent.getLocalPort}"
      val error   = intercept[StoplogArgumentException](
        BrokerLimits.check(settings("bootstrap.servers" -> servers, "max.block.ms" -> "200"))
      )
      assert(error.getCondition === "STOPLOG_UNREACHABLE")
      assert(error.getMessage.contains(servers))
      assert(error.getMessage.contains("no response within 200 ms"))
    }
  }
}
