// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.io.{ByteArrayOutputStream, PrintStream}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.admin.AdminWorld.within

class MainSuite extends AnyFunSuite {

  test("a request returns the plan first and executes the plan on request") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      val request         = s""""command":"finalize","path":"${world.directory}""""
      val (planned, plan) = asked(s"{$request}")
      assert(planned === 0)
      assert(plan.get("actions").get(0).get("action").asText === "finish")
      assert(plan.get("actions").get(0).get("rows").asLong === 1)
      assert(!plan.get("carriedOut").asBoolean)
      assert(world.rows.isEmpty)
      val (refused, why) = asked(s"""{$request,"carryOut":true}""")
      assert(refused === 1)
      assert(why.get("error").get("condition").asText === "STOPLOG_DRIVER_ALIVE")
      val (done, what) = asked(s"""{$request,"carryOut":true,"driverIsDead":true}""")
      assert(done === 0)
      assert(what.get("carriedOut").asBoolean)
      assert(world.rows === Vector("ant"))
    }
  }

  test("an invalid request returns the matching error condition") {
    for (
      (request, expected) <- Seq(
        """{"command":"paint","path":"/data/out"}"""                         -> "STOPLOG_INVALID_OPTIONS",
        """{"command":"finalize"}"""                                         -> "STOPLOG_PATH_MISSING",
        """{"command":"rewind","path":"/no/such","epoch":"x"}"""             -> "STOPLOG_INVALID_OPTIONS",
        """{"command":"adopt","path":"/no/such","queryId":null,"batch":0}""" -> "STOPLOG_INVALID_OPTIONS",
        """{"command":"reset","path":"/no/such","open":"burn"}"""            -> "STOPLOG_INVALID_OPTIONS",
        """{"command":"finalize","path":"/no/such","sinkId":"one"}"""        -> "STOPLOG_SINK_UNKNOWN"
      )
    ) {
      val (status, answer) = asked(request)
      assert(status === 1)
      assert(answer.get("error").get("condition").asText === expected)
    }
  }

  private def asked(request: String): (Int, JsonNode) = {
    val out    = new ByteArrayOutputStream()
    val status = Main.run(request, new PrintStream(out))
    (status, new ObjectMapper().readTree(out.toByteArray))
  }
}
