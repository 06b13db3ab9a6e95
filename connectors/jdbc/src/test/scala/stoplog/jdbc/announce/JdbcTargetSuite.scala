// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.announce

import java.nio.file.Files
import java.sql.SQLNonTransientConnectionException
import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._
import stoplog.jdbc.{BreakingConnections, TestDatabase}
import stoplog.jdbc.client.ConnectionSource

class JdbcTargetSuite extends AnyFunSuite {
  private val database = TestDatabase.derby()
  private val log      = LogId("main", "7d6f")

  private def announcement(sequence: Long, change: Change, number: Int = 0) =
    Announcement(AnnouncementId(log, sequence, number), "/data/events", "s", change, 1769853600000L, Some(41))

  private def added(sequence: Long) =
    announcement(sequence, Change.Added("dt=1", Vector(AnnouncedFile(s"dt=1/$sequence", Some(7), 70))))

  test("a row for each file, with the change, the bucket, the size and the times") {
    val receiver = new JdbcReceiver(database)
    val table    = receiver.table
    val times    = Some(TimeRange("2026-01-31T09:00:00Z", "2026-01-31T09:59:59Z"))
    val a        = AnnouncedFile("dt=1/a", Some(7), 70, times)
    val b        = AnnouncedFile("dt=1/b", None, 80)
    receiver
      .target()
      .deliver(
        Vector(
          announcement(1, Change.Added("dt=1", Vector(a, b))),
          announcement(
            2,
            Change.Replaced("dt=1", Vector(a.copy(path = "dt=1/c")), Vector("dt=1/a", "dt=1/b"))
          ),
          announcement(2, Change.PartitionComplete("dt=1", 2), number = 1),
          announcement(3, Change.Removed("dt=1", Vector("dt=1/c"))),
          announcement(4, Change.Gap(2, 4)).copy(epoch = None)
        )
      )
    val columns =
      "record_sequence, announcement_number, file_number, change_kind, bucket, file_path, file_rows, " +
        "file_bytes, min_time, bucket_version, epoch"
    val at = "2026-01-31T09:00:00Z"
    assert(
      database.rows(s"SELECT $columns FROM $table ORDER BY 1, 2, 3") === Seq(
        Seq("1", "0", "0", "added", "dt=1", "dt=1/a", "7", "70", at, null, "41"),
        Seq("1", "0", "1", "added", "dt=1", "dt=1/b", null, "80", null, null, "41"),
        Seq("2", "0", "0", "replaced", "dt=1", "dt=1/c", "7", "70", at, null, "41"),
        Seq("2", "0", "1", "removed", "dt=1", "dt=1/a", null, null, null, null, "41"),
        Seq("2", "0", "2", "removed", "dt=1", "dt=1/b", null, null, null, null, "41"),
        Seq("2", "1", "0", "partition complete", "dt=1", null, null, null, null, "2", "41"),
        Seq("3", "0", "0", "removed", "dt=1", "dt=1/c", null, null, null, null, "41"),
        Seq("4", "0", "0", "gap", null, null, null, null, null, null, null)
      )
    )
    assert(
      database.rows(s"SELECT DISTINCT log_identity, log_name, sink_path, sink_id, decided_at FROM $table") ===
        Seq(Seq("7d6f", "main", "/data/events", "s", "2026-01-31T10:00:00.000Z"))
    )
    assert(
      database.rows(s"SELECT sink_path, log_name, log_identity, record_sequence FROM ${table}_position") ===
        Seq(Seq("/data/events", "main", "7d6f", "4"))
    )
  }

  test("files since a time are a query") {
    val receiver = new JdbcReceiver(database)
    val table    = receiver.table
    val later    = added(2).copy(decidedAtMillis = 1769853600000L + 86400000L)
    receiver.target().deliver(Vector(added(1), later))
    assert(
      database.rows(s"SELECT file_path FROM $table WHERE decided_at >= '2026-02-01'") === Seq(Seq("dt=1/2"))
    )
  }

  test("a failed COMMIT is unknown, and the position resolves the outcome") {
    for (isCommitted <- Seq(true, false)) {
      val receiver = new JdbcReceiver(database)
      val table    = receiver.table
      receiver.target().check()
      // After six COMMITs of queries about the tables.
      val connections = new BreakingConnections(database, at = 7, carriedOut = isCommitted)
      val target      = receiver.target(connections)
      assert(target.deliver(Vector(added(1))).isInstanceOf[Delivery.Unknown])
      val next = receiver.target()
      assert(next.position("/data/events", "main") === Option.when(isCommitted)(added(1).id))
      assert(next.deliver(Vector(added(1))) === Delivery.Delivered)
      assert(database.count(table) === 1)
    }
  }

  test("an unreachable database receives the announcements again; the reason has no secret") {
    val settings = JdbcTargetSettings.parse(
      Map("url" -> "jdbc:postgresql://u:hunter2@db/shop", "dbtable" -> "t", "password" -> "hunter2").asJava
    )
    val down: ConnectionSource =
      () => throw new SQLNonTransientConnectionException("no route; password=hunter2", "08001")
    val target                       = new JdbcTarget(settings, () => down)
    val Delivery.Retry(reason, None) = target.deliver(Vector(added(1))): @unchecked
    assert(reason === "jdbc:postgresql://db/shop failed: no route; password=…")
    assert(!intercept[Exception](target.check()).toString.contains("hunter2"))
  }

  test("rows whose position was deleted are rejected instead of repeated") {
    val receiver = new JdbcReceiver(database)
    val table    = receiver.table
    receiver.target().deliver(Vector(added(1)))
    database.execute(s"DELETE FROM ${table}_position")
    assert(receiver.target().deliver(Vector(added(1))).isInstanceOf[Delivery.Refused])
    assert(database.count(table) === 1 && database.count(s"${table}_position") === 0)
  }

  test("the factory is found by its kind; the password may be a named secret") {
    val factory = ServiceLoader.load(classOf[TargetFactory]).asScala.find(_.kind == "jdbc").get
    val file    = Files.writeString(Files.createTempFile("password", ""), "pw")
    val target  = factory.create(
      "warehouse",
      Map(
        "url"          -> database.url,
        "DBTABLE"      -> new JdbcReceiver(database).table,
        "passwordFrom" -> s"file:$file"
      ).asJava
    )
    target.check()
    val none = factory.create(
      "warehouse",
      Map(
        "url"          -> database.url,
        "dbtable"      -> new JdbcReceiver(database).table,
        "passwordFrom" -> "env:STOPLOG_NONE"
      ).asJava
    )
    assert(
      none.deliver(Vector(added(1))) === Delivery.Retry(
        "the environment variable STOPLOG_NONE is missing or empty"
      )
    )
  }

  test("all problems of the settings are reported together") {
    val settings =
      Map("url" -> "postgresql://db", "passwordFrom" -> "hunter2", "password" -> "x", "queryTimeout" -> "no")
    val message = intercept[IllegalArgumentException](JdbcTargetSettings.parse(settings.asJava)).getMessage
    for (
      part <- Seq("does not begin with jdbc:", "dbtable is not set", "does not name a secret",
        "queryTimeout = 'no'", "password has no effect with passwordFrom")
    ) assert(message.contains(part), message)
    assert(!message.contains("hunter2"))
    val own = JdbcTargetSettings.parse(
      Map("url" -> "jdbc:derby:x", "dbtable" -> "s.\"Files\"", "positionTable" -> "p").asJava
    )
    assert(own.positionTable === "p")
    assert(
      JdbcTargetSettings
        .parse(Map("url" -> "jdbc:derby:x", "dbtable" -> "s.\"Files\"").asJava)
        .positionTable ===
        "s.\"Files_position\""
    )
  }
}
