// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.io.IOException

import scala.jdk.CollectionConverters._
import scala.util.Try

import stoplog.cassandra.client.CassandraErrors
import stoplog.error.{ConditionRules, Conditions}

class CassandraErrorsSuite
    extends ConditionRules(Some(CassandraErrorsSuite.url), CassandraErrorsSuite.one, Some("cassandra")) {

  test("no error or toString of options contains a secret") {
    val right = Map("contactPoints" -> "a", "keyspace" -> "k", "table" -> "t") ++
      Map("username" -> "u", "password" -> "hunter2")
    assert(!CassandraSink.fromOptions(right.asJava).toString.contains("hunter2"))
    for (
      wrong <- Seq(right - "username", right + ("Password" -> "hunter3"), right + ("pasword" -> "hunter2"))
    ) {
      val said = Try(CassandraSink.fromOptions(wrong.asJava)).failed.get
      assert(!said.getMessage.contains("hunter"), said.getMessage)
    }
  }
}

object CassandraErrorsSuite {
  private val cause = new IOException("no route")

  // Each connector has a file of this name: this is its own.
  val url = classOf[CassandraSink].getProtectionDomain.getCodeSource.getLocation.toURI
    .resolve(Conditions.ConnectorResource)
    .toURL

  val one = Seq(
    CassandraErrors.badRow("ks.t", "id=1", "v", "it is no UUID", cause),
    CassandraErrors.chunksTable("ks.stoplog_chunks", "CREATE TABLE", "not allowed", cause),
    CassandraErrors.connect("127.0.0.1:9042", "no route", cause),
    CassandraErrors.epochBehind("ks.t", "q", 4, "epoch 3", "UPDATE ks.stoplog_epochs"),
    CassandraErrors.epochGap("ks.t", "q", 4, 7, "UPDATE ks.stoplog_epochs"),
    CassandraErrors.epochTable("ks.stoplog_epochs", "CREATE TABLE", "not allowed", cause),
    CassandraErrors.read("ks.t", "the tokens (1, 2]", "timed out", cause),
    CassandraErrors.schema("ks.t", Seq("There is no column x.")),
    CassandraErrors.table("ks.t", "there is no keyspace ks"),
    CassandraErrors.write("ks.t", "id=1", 3, "timed out", cause)
  )
}
