// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.{CassandraSink, CassandraSource}
import stoplog.error.StoplogArgumentException

class CassandraOptionsSuite extends AnyFunSuite {
  private val least = Map("contactPoints" -> "a,b:9999", "keyspace" -> "ks", "table" -> "t")

  private def parse(more: (String, String)*) = CassandraOptions.parse((least ++ more).asJava)

  private def problems(more: (String, String)*): String =
    intercept[StoplogArgumentException](parse(more: _*)).getMessageParameters.get("problems")

  test("options have defaults") {
    val options = parse()
    assert(options.connection.contactPoints === Vector("a" -> 9042, "b" -> 9999))
    assert(options.consistency === DefaultConsistencyLevel.LOCAL_QUORUM)
    assert(
      options.write.timestamp === WriteTimestamp.OfEpoch(
        None,
        "stoplog_epochs",
        DefaultConsistencyLevel.SERIAL
      )
    )
    assert(options.write.nulls === NullValues.Unset)
    assert(options.write.ttl === None)
    assert(options.read.maxSplitBytes === (64L << 20))
  }

  test("IPv6 addresses are written in brackets") {
    assert(
      parse("contactPoints" -> "[::1]:9043, [fe80::2]").connection.contactPoints ===
        Vector("::1" -> 9043, "fe80::2" -> 9042)
    )
  }

  test("all mistakes are reported together, with suggestions") {
    val told = problems(
      "contactPoints"  -> "a:b:c",
      "consistency"    -> "QUORUMM",
      "keyspacee"      -> "ks",
      "ttl"            -> "1500ms",
      "writeTimestamp" -> "column",
      "pageRows"       -> "5",
      "username"       -> "u",
      "columnMapping"  -> "a=b,a=c"
    )
    for (
      part <- Seq("contactPoints = 'a:b:c' is not a list", "perhaps QUORUM", "keyspacee is not one of",
        "perhaps keyspace", "is not whole seconds", "writeTimestamp = 'column' is not one of epoch, server",
        "use datastax-java-driver.basic.request.page-size", "username and password", "names a twice")
    )
      assert(told.contains(part), told)
  }

  test("rejects options without effect") {
    assert(problems("writeTimestamp" -> "server", "progressTable" -> "t").contains("no effect"))
    assert(problems("writeTimestamp" -> "column at", "progressTable" -> "t").contains("no effect"))
  }

  test("a time to live and a timestamp are constant, or in a column") {
    assert(parse("ttl" -> "1h").write.ttl === Some(Ttl.Constant(3600)))
    assert(parse("ttl" -> "Column keep").write.ttl === Some(Ttl.OfColumn("keep")))
    assert(parse("writeTimestamp" -> "column my at").write.timestamp === WriteTimestamp.OfColumn("my at"))
  }

  test("the driver's serial consistency and data center have their effect") {
    val driver = "datastax-java-driver.basic."
    val read   = parse(
      s"${driver}request.serial-consistency"             -> "LOCAL_SERIAL",
      s"${driver}load-balancing-policy.local-datacenter" -> "\"dc1\""
    )
    assert(read.write.serial === DefaultConsistencyLevel.LOCAL_SERIAL)
    assert(read.connection.localDatacenter === Some("dc1"))
    assert(problems(s"${driver}request.serial-consistency" -> "ONE").contains("is not one of SERIAL"))
  }

  test("driver settings reach the driver, and Spark's keys are ignored") {
    val key    = "datastax-java-driver.basic.request.timeout"
    val sparks = Seq("checkpointLocation" -> "/x", "asyncProgressTrackingEnabled" -> "false")
    val read   = parse((key -> "3 seconds") +: sparks: _*)
    assert(read.connection.driverSettings === Map(key -> "3 seconds"))
  }

  test("rejects settings that the driver does not know, or that the connector sets itself") {
    def told(key: String) = problems(s"datastax-java-driver.$key" -> "1")
    for (
      (wrong, right) <- Seq(
        "basic.requst.timeout"         -> "did you mean datastax-java-driver.basic.request.timeout?",
        "advanced.heartbeat.intervall" -> "did you mean datastax-java-driver.advanced.heartbeat.interval?",
        "profiles.slow.basic.request.timeut" -> "did you mean datastax-java-driver.basic.request.timeout?",
        "request.timeout" -> "is not a setting of the driver (perhaps datastax-java-driver.basic.request.timeout)",
        "pool" -> "is not a setting of the driver"
      )
    ) assert(told(wrong).contains(right), wrong)
    for (
      (owned, why) <- Seq(
        "advanced.timestamp-generator.class"      -> "cannot be set: writeTimestamp",
        "basic.contact-points"                    -> "cannot be set: use contactPoints",
        "basic.request.consistency"               -> "has no effect: use consistency",
        "profiles.slow.basic.request.consistency" -> "has no effect: use consistency"
      )
    ) assert(told(owned).contains(why), owned)
  }

  test("accepts all kinds of settings that the driver knows, and settings of user-defined classes") {
    val driver = "datastax-java-driver."
    for (
      settings <- Seq(
        Map("profiles.slow.basic.request.timeout" -> "10 seconds"),
        Map("advanced.heartbeat"                  -> "{ interval = 7 seconds }"),
        Map("advanced.metrics.session.enabled"    -> "[ bytes-sent ]"),
        Map("advanced.ssl-engine-factory.class"   -> "DefaultSslEngineFactory"),
        Map("advanced.throttler.class"            -> "com.example.Own", "advanced.throttler.my-limit" -> "1")
      )
    ) parse(settings.toSeq.map { case (key, value) => driver + key -> value }: _*)
  }

  test("builder methods set their options") {
    val sink = CassandraSink
      .forTable("a", "ks", "t")
      .withCredentials("me", "hidden")
      .withWriteTimestampOfEpoch("ops.epochs")
      .withWriteTimestampColumn("at")
      .withTtl("1h")
      .withTtlColumn("keep")
      .withColumnMapping("x" -> "y", "z" -> "w")
      .withMaxInFlight(7)
      .build()
    assert(
      sink.options().asScala.toMap === Map(
        "contactPoints"  -> "a",
        "keyspace"       -> "ks",
        "table"          -> "t",
        "username"       -> "me",
        "password"       -> "hidden",
        "writeTimestamp" -> "column at",
        "ttl"            -> "column keep",
        "columnMapping"  -> "x=y,z=w",
        "maxInFlight"    -> "7"
      )
    )
    assert(!sink.toString.contains("hidden"))
    assert(
      CassandraSource.forTable("a", "ks", "t").withPageRows(9).build() ===
        CassandraSource
          .forTable("a", "ks", "t")
          .withOption("datastax-java-driver.basic.request.page-size", "9")
          .build()
    )
  }
}
