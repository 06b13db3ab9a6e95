// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.announce

import java.nio.file.Files
import java.util.UUID

import scala.jdk.CollectionConverters._

import stoplog.announce.{Announcement, AnnouncementTarget, Change, KilledDriverLaws, TargetElsewhere}
import stoplog.jdbc.client.ConnectionSource
import stoplog.jdbc.{BreakingConnections, TestDatabase}
import stoplog.laws.{PositionedTargetLaws, ReceiverUnderTest}

abstract class JdbcTargetLaws(database: TestDatabase) extends PositionedTargetLaws {

  override protected def newReceiver(): ReceiverUnderTest = new JdbcReceiver(database)

  override protected def refused(after: Announcement): Option[Announcement] = Some(
    after.copy(
      id = after.id.copy(number = after.id.number + 1),
      change = Change.Removed("b" * 5000, Vector("x"))
    )
  )

  test("each announcement takes effect once if any COMMIT breaks") {
    for {
      at         <- 1 to 12
      carriedOut <- Seq(true, false)
    } {
      val receiver = new JdbcReceiver(database)
      val target   = receiver.target(new BreakingConnections(database, at, carriedOut))
      added(receiver, 1 to 6).grouped(2).foreach(deliver(target, _))
      assert(receiver.received() === (1 to 6), s"COMMIT $at, carried out: $carriedOut")
    }
  }
}

/** A new table. */
private[announce] final class JdbcReceiver(database: TestDatabase) extends ReceiverUnderTest {
  val table: String = s"f_${UUID.randomUUID().toString.take(8)}"

  override def target(): JdbcTarget = target(database.connector)

  def target(connections: ConnectionSource): JdbcTarget = new JdbcTarget(
    JdbcTargetSettings.parse(Map("url" -> database.url, "dbtable" -> table).asJava),
    () => connections
  )

  override def received(): Seq[Int] = {
    target().check()
    database
      .rows(
        s"SELECT bucket FROM $table WHERE change_kind = 'added' " +
          "ORDER BY log_name, record_sequence, announcement_number"
      )
      .map(_.head.stripPrefix("n=").toInt)
  }
}

class DerbyTargetSuite    extends JdbcTargetLaws(TestDatabase.derby())
class H2TargetSuite       extends JdbcTargetLaws(TestDatabase.h2())
class PostgresTargetSuite extends JdbcTargetLaws(TestDatabase.postgres)
class MariaDbTargetSuite  extends JdbcTargetLaws(TestDatabase.mariaDb)

class SqliteTargetSuite
    extends JdbcTargetLaws(TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite"))) {

  // The database does not enforce the lengths of its columns.
  override protected def refused(after: Announcement): Option[Announcement] = None
}

class PostgresKilledDriverSuite extends KilledDriverLaws {
  override protected def newReceiver(): (ReceiverUnderTest, TargetElsewhere) = {
    val receiver = new JdbcReceiver(TestDatabase.postgres)
    receiver.target().check()
    (receiver, JdbcElsewhere(TestDatabase.postgres.url, receiver.table))
  }
}

private final case class JdbcElsewhere(url: String, table: String) extends TargetElsewhere {
  override def target(): AnnouncementTarget =
    new JdbcTargets().create("t", Map("url" -> url, "dbtable" -> table).asJava)
}
