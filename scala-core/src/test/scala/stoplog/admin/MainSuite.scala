// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.admin.AdminWorld.within
import stoplog.announce.{Announcement, AnnouncementId, AnnouncementTarget, Delivery, LogId}
import stoplog.announce.table.{ComparedTable, TableContent}
import stoplog.options.SparkHadoop

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

  test("a request may have each option of the query") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      for (
        options <- Seq(
          """"format":"csv","header":"true"""",
          """"Format":"parquet","parquet.block.size":"1048576""""
        )
      ) {
        val (status, answer) =
          asked(s"""{"command":"finalize","path":"${world.directory}","options":{$options}}""")
        assert(status === 0, answer)
      }
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

  test("tables are returned as data, with the problem of a table that cannot be read") {
    within() { world =>
      world.epoch(world.driver(), 0, "ant")
      def tables(options: String) = asked(
        s"""{"command":"tables","path":"${world.directory}","options":{$options},"hadoop":{"lake.elsewhere":"4"}}"""
      )
      val kind            = classOf[MainSuite.Lake].getName
      val (status, found) =
        tables(s""""announce.lake":"$kind","announce.broken":"$kind","announce.broken.fails":"x"""")
      assert(status === 0)
      val (broken, lake) = (found.get("tables").get(0), found.get("tables").get(1))
      assert(broken === json("""{"problem":"the catalog is down","target":"broken"}"""))
      assert(
        lake === json(
          """{"positions":[{"log":{"name":"main","identity":"x"},"sequence":7,"number":1}],
            |"content":{"files":["b/2","b/2"],"elsewhere":4,"removed":["b/1"],"removedByOthers":{"b/0":"version 3"},
            |"sinceMillis":5,"isListed":true},"target":"lake"}""".stripMargin
        )
      )
      val (refused, why) = tables(s""""announce.plain":"${classOf[MainSuite.Plain].getName}"""")
      assert(refused === 1)
      assert(why.get("error").get("message").asText.contains("set announce.<name> to iceberg or delta"))
    }
  }

  private def json(text: String): JsonNode = new ObjectMapper().readTree(text)

  private def asked(request: String): (Int, JsonNode) = {
    val out    = new ByteArrayOutputStream()
    val status = Main.run(request, new PrintStream(out))
    (status, json(out.toString(UTF_8)))
  }
}

object MainSuite {

  class Plain extends AnnouncementTarget {
    override def deliver(announcements: Vector[Announcement]): Delivery = Delivery.Delivered
  }

  /** A table with a position of the log `main`. */
  class Lake(settings: java.util.Map[String, String]) extends Plain with ComparedTable {
    override def position(path: String, logName: String): Option[AnnouncementId] =
      Option
        .when(logName == "main" && !settings.containsKey("fails"))(AnnouncementId(LogId(logName, "x"), 7, 1))

    override def content(path: String): Option[TableContent] = {
      if (settings.containsKey("fails")) throw new IllegalStateException("the catalog is down")
      Some(
        new TableContent(
          Vector("b/2", "b/2"),
          SparkHadoop.ofProcess.getInt("lake.elsewhere", 0),
          Set("b/1"),
          Map("b/0" -> "version 3"),
          Some(5),
          isListed = true
        )
      )
    }
  }
}
