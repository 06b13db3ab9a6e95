// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future

import org.apache.spark.sql.Dataset
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.async.AsyncPageSuite._
import stoplog.format.SparkSessionForTests

/** Runs the Scala example of docs/beyond-files/async.md, which `tests/e2e/test_async_page.py` compares with this one. */
class AsyncPageSuite extends AnyFunSuite with SparkSessionForTests {

  test("the example on the page locates clicks", LongRun.Only) {
    import spark.implicits._
    val clicks = Seq(Click("10.0.0.1"), Click("10.0.0.2")).toDS()

    // format: off
    // page: begin
    import stoplog.async.{AsyncFunction, AsyncMap, Retry}

    val located: Dataset[Located] = AsyncMap
      .of(clicks)
      .unordered
      .withCapacity(500)
      .withTimeoutMillis(2000)
      .withRetry(Retry.upTo(5))
      .map(click =>
        geo.locate(click.ip).map(country => Located(click.ip, country))
      )

    val (good, rejected) = AsyncMap.split[Click, Located](
      AsyncMap
        .of(clicks)
        .callOrReject(
          AsyncFunction.of((click: Click) => geo.find(click.ip))
        )
        .persist()
    )
    // page: end
    // format: on

    assert(located.collect().toSet === Set(Located("10.0.0.1", "NO"), Located("10.0.0.2", "NO")))
    assert(good.collect().toSeq === Seq(Located("10.0.0.1", "NO")))
    assert(rejected.collect().toSeq.map(_._1) === Seq(Click("10.0.0.2")))
  }
}

object AsyncPageSuite {

  final case class Click(ip: String)

  final case class Located(ip: String, country: String)

  /** Knows one address in full. */
  object geo {

    def locate(ip: String): Future[String] = Future(if (ip.nonEmpty) "NO" else "")

    def find(ip: String): Future[Located] =
      if (ip == "10.0.0.1") locate(ip).map(Located(ip, _)) else Future.failed(new NoSuchElementException(ip))
  }
}
