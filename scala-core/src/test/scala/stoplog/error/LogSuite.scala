// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.io.{PrintWriter, StringWriter}
import java.sql.SQLException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.spark.LogCapture

/** What clients and drivers say of a failure may repeat the secrets that they were given. */
class LogSuite extends AnyFunSuite {

  test("messages and exceptions in the log contain no secrets") {
    val secret = "jdbc:postgresql://shop:hunter2@db/x?password=hunter2"
    val cause  = new SQLException(secret, "08001")
    val events = LogCapture.events {
      Log.warn(secret)
      Log.warn(secret, new IllegalStateException("no answer", cause))
    }
    assert(events.map(_.getThrown != null) === Seq(false, true))
    events.foreach { event =>
      val text = new StringWriter
      text.write(event.getMessage.getFormattedMessage)
      Option(event.getThrown).foreach(_.printStackTrace(new PrintWriter(text, true)))
      assert(text.toString.contains("shop") && !text.toString.contains("hunter2"), text)
    }
  }
}
