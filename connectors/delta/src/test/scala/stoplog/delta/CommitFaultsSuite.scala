// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import io.delta.kernel.commit.CommitFailedException

import stoplog.announce._
import stoplog.format.SparkSessionForTests
import stoplog.laws.{CommitFault, TableFaultLaws}

class CommitFaultsSuite extends TableFaultLaws[TableFixture] with SparkSessionForTests {

  override protected def newTable(): TableFixture = new TableFixture(spark)

  override protected def assertConflict(e: Throwable): Unit =
    assert(e.asInstanceOf[CommitFailedException].isConflict)

  override protected def otherWriter(table: TableFixture): () => Unit = {
    val job   = LogId("batch-1", "6ba7b811-9dad-11d1-80b4-00c04fd430c8")
    val files = others.map(id => Change.Added("", Vector(table.written(id to id))))
    val next  = files.zipWithIndex.map { case (file, i) => table.announced(i.toLong, file, log = job) }
    () => deliverAll(table, next, 1)
  }

  override protected def assertOthers(table: TableFixture): Unit = {
    assert(table.ids === (0L to 8L) ++ others.map(_.toLong))
    assert(table.actions("add").size === 13)
  }

  test("two drivers create the table once") {
    val table = newTable()
    val file  = table.added(0, table.written(0 to 0))
    val slow  = table.faultyTarget(CommitFault.Before(() => table.delivered(table.target(), file)))
    table.delivered(slow, file)
    assert(table.actions("add").size === 1)
    assert(table.actions("metaData").size === 1)
  }

  private def others = 101 to 104
}
