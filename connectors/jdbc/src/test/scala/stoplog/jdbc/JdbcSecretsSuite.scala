// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.io.{ByteArrayOutputStream, PrintStream}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.jdbc.client.SparkConnector
import stoplog.jdbc.options.JdbcOptions
import stoplog.jdbc.table.TableCheck

/** What the sink is told in secret nobody reads in what it says, nor in what its drivers say. */
class JdbcSecretsSuite extends AnyFunSuite {
  private val schema = new StructType().add("id", "int")

  private val urls = Seq(
    "jdbc:postgresql://shop:hunter2@127.0.0.1:1/x",
    "jdbc:postgresql://127.0.0.1:1/x?user=shop&password=hunter2", "jdbc:mariadb://shop:hunter2@127.0.0.1:1/x",
    "jdbc:mariadb:address=(host=127.0.0.1)(port=1)(password=hunter2)/x",
    "jdbc:mysql:address=(host=127.0.0.1)(port=1)(password=hunter2)/x",
    "jdbc:h2:mem:secrets;USER=shop;PASSWORD=hunter2;NOPE=1",
    "jdbc:derby:memory:secrets;user=shop;password=hunter2;create=maybe",
    "jdbc:sqlite:/nowhere/x.db?password=hunter2", "jdbc:oracle:thin:shop/hunter2@127.0.0.1:1:x",
    "jdbc:nobody:knows://shop:hunter2@db"
  )

  private val mistakes = Seq(
    "postgresql://shop:hunter2@db/x",
    "shop:hunter2@db/x",
    "jdbc;user=shop;password=hunter2",
    "db?password=hunter2"
  )

  test("no message contains a secret of a URL") {
    for (url <- urls) {
      val options = JdbcOptions.parse(settings("url" -> url))
      assert(!options.database.contains("hunter2"), url)
      assert(!new JdbcSink(options).toString.contains("hunter2"), url)
      val refused = Try(TableCheck.target(options, schema, new SparkConnector(options.toSpark))).failed.get
      assert(!printed(refused).contains("hunter2"), printed(refused))
    }
  }

  test("no message contains a secret property") {
    for (key <- Seq("password", "accessToken", "clientSecret", "trustCertificateKeyStorePassword")) {
      val options = JdbcOptions.parse(settings("url" -> "jdbc:postgresql://127.0.0.1:1/x", key -> "hunter2"))
      assert(!new JdbcSink(options).toString.contains("hunter2"), key)
      val refused = Try(TableCheck.target(options, schema, new SparkConnector(options.toSpark))).failed.get
      assert(!printed(refused).contains("hunter2"), printed(refused))
    }
  }

  test("no message contains a secret of a malformed URL") {
    for (url <- mistakes) {
      val refused = Try(JdbcOptions.parse(settings("url" -> url, "batchsize" -> "few"))).failed.get
      assert(
        refused.getMessage.contains("batchsize = 'few'") && refused.getMessage.contains(
          "does not begin with jdbc:"
        )
      )
      assert(!printed(refused).contains("hunter2"), printed(refused))
    }
  }

  private def settings(options: (String, String)*) =
    (options.toMap + ("dbtable" -> "t") + ("retryTimeout" -> "0s")).asJava

  private def printed(e: Throwable): String = {
    val bytes = new ByteArrayOutputStream
    e.printStackTrace(new PrintStream(bytes))
    bytes.toString
  }
}
