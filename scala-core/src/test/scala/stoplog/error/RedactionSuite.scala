// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.io.{ByteArrayOutputStream, IOException, PrintStream}
import java.sql.{SQLException, SQLTransientException}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.funsuite.AnyFunSuite

/** The examples are those of the Python package as well. */
class RedactionSuite extends AnyFunSuite {
  private val examples: JsonNode =
    Using.resource(getClass.getResourceAsStream("/redaction.json"))(new ObjectMapper().readTree(_))

  test("redacts strings as in the shared examples, idempotently") {
    for (example <- examples.get("texts").asScala) {
      val shown = example.get("shown").asText
      assert(Redaction.text(example.get("said").asText) === shown)
      assert(Redaction.text(shown) === shown, "what is hidden stays as it is")
    }
  }

  test("options with secret names are hidden") {
    for (key <- examples.get("secret").asScala) assert(Redaction.isSecret(key.asText), key)
    for (key <- examples.get("open").asScala) assert(!Redaction.isSecret(key.asText), key)
    val shown =
      Redaction.options("Sink", Map("user" -> "u", "password" -> "hunter2", "url" -> "s3a://a:hunter2@b"))
    assert(shown === "Sink(password=…, url=s3a://a:…@b, user=u)")
  }

  test("of an invalid URL, only the location is shown") {
    for (
      (asked, shown) <- Seq(
        "shop:hunter2@db/x"                          -> "…@db/x",
        "postgresql://shop:hunter2@db/x?ssl=true"    -> "postgresql://…@db/x",
        "jdbc:oracle:thin:shop/hunter2@//db:1521/x"  -> "…@//db:1521/x",
        "htp://example.com/x?code=hunter2"           -> "htp://example.com/x",
        "shop/hunter2@//db-server-number-1:1521/x"   -> "…@//db-server-number-1:1521/x",
        "htp://example.com/T1/hunter2hunter2hunter2" -> "htp://example.com/T1/…",
        "db.example.com"                             -> "db.example.com"
      )
    ) assert(Redaction.url(asked) === shown)
  }

  test("errors and the stack traces of their causes contain no secrets") {
    val secret = "jdbc:postgresql://shop:hunter2@db/x?password=hunter2"
    val known  = new IOException(secret, new SQLException(secret, "08001", 7))
    known.addSuppressed(new IllegalStateException(secret))
    val error = Errors.storeWrite(secret, secret, known)
    assert(!printed(error).contains("hunter2"), printed(error))
    assert(error.getMessageParameters.asScala.values.forall(!_.contains("hunter2")))
    val sql = error.getCause.getCause.asInstanceOf[SQLException]
    assert((sql.getSQLState, sql.getErrorCode) === (("08001", 7)))
    assert(error.getCause.getStackTrace.toSeq === known.getStackTrace.toSeq)
  }

  test("suppressed exceptions of a harmless cause contain no secrets") {
    val open = new IOException("No space left on device")
    open.addSuppressed(new IllegalStateException("password=hunter2"))
    val shown = Redaction.cause(open)
    assert(!printed(shown).contains("hunter2") && printed(shown).contains("password="))
    assert(shown.getMessage === open.getMessage)
  }

  test("a harmless cause is kept unchanged, and a secret cause keeps its type") {
    val plain = new IOException("No space left on device", new IllegalStateException("x"))
    assert(Redaction.cause(plain) eq plain)
    val batch = new SQLTransientException("password=hunter2", "40001")
    batch.setNextException(new SQLException("password=hunter2", "40002"))
    Redaction.cause(batch) match {
      case again: SQLTransientException =>
        assert(again.getSQLState === "40001" && again.getNextException.getSQLState === "40002")
        assert(!printed(again).contains("hunter2") && !again.getNextException.getMessage.contains("hunter2"))
      case another => fail(another)
    }
    val own = Redaction
      .of(Seq("password" -> "hunter2"))
      .cause(Errors.storeWrite("/data", "hunter2 is no port", plain))
    assert(own.getMessage.contains("STOPLOG_STORE_WRITE") && !own.getMessage.contains("hunter2"))
    assert(own.getCause eq plain)
    val other = Redaction.cause(new IllegalArgumentException("secret=hunter2"))
    assert(other.toString === "java.lang.IllegalArgumentException: secret=…")
  }

  test("secrets from options are hidden in messages of a client library") {
    val told = Seq(
      "Incorrect port value : hunter2@db"   -> ("url"      -> "jdbc:mariadb://shop:hunter2@db/x"),
      "no place named hunter2"              -> ("url"      -> "jdbc:oracle:thin:shop/hunter2@db"),
      "what is hunter2?"                    -> ("url"      -> "jdbc:mysql:address=(password=hunter2)/x"),
      "what is hun;ter2?"                   -> ("url"      -> "jdbc:sqlserver://db;password={hun;ter2}"),
      "hun%ter2 or hun%25ter2 is not known" -> ("url"      -> "jdbc:postgresql://db/x?password=hun%25ter2"),
      "user shop, a7"                       -> ("password" -> "a7")
    )
    for ((said, option) <- told) {
      val shown = Redaction.of(Seq(option)).text(said)
      assert(!shown.contains("ter2") && !shown.contains("a7") && shown.contains("…"), shown)
    }
    assert(Redaction.of(Seq("password" -> "in")).text("rows in order are in") === "rows … order are …")
    assert(Redaction.of(Seq("password" -> "in")).text("inside") === "inside")
  }

  test("a fingerprint depends on the name and the value") {
    val all = Seq("a" -> "hunter2", "a" -> "hunter3", "b" -> "hunter2").map { case (key, value) =>
      Redaction.fingerprint(key, value, iterations = 1)
    }
    assert(all.distinct.size === 3 && all.forall(_.matches("[0-9a-f]{16}")))
    assert(Redaction.fingerprint("a", "hunter2", iterations = 1) === all.head)
  }

  test("a fingerprint is stable across releases and slow to guess") {
    assert(Redaction.fingerprint("a", "hunter2") === "94dd473800526f48") // 100,000 rounds
  }

  private def printed(e: Throwable): String = {
    val bytes = new ByteArrayOutputStream
    e.printStackTrace(new PrintStream(bytes))
    bytes.toString
  }
}
