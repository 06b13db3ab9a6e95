// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.file.Files

import stoplog.jdbc.rows.SqlArray

class DerbyUpsertSuite  extends UpsertLaws(TestDatabase.derby())
class H2UpsertSuite     extends UpsertLaws(TestDatabase.h2())
class SqliteUpsertSuite extends UpsertLaws(TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite")))

class PostgresUpsertSuite extends UpsertLaws(TestDatabase.postgres) {
  test("the last row of an array key wins within a batch") {
    val table = newTable("id TEXT[] PRIMARY KEY, word TEXT")
    val sink  = new Rig(database, table, database.connector, batchRows = 100)
    def key   = SqlArray("text", Array("a", null))
    sink.upsert((1 to 20).map(i => key -> s"w$i"): _*)
    assert(database.rows(s"SELECT word FROM $table") === Seq(Seq("w20")))
  }

  test("the last row of a key in another case wins if the database ignores case") {
    database.execute(
      "CREATE COLLATION IF NOT EXISTS nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    lastOfCases(newTable("id TEXT COLLATE nocase PRIMARY KEY, word TEXT"))
  }
}

class MariaDbUpsertSuite extends UpsertLaws(TestDatabase.mariaDb) {
  test("the last row of a key in another case wins if the database ignores case") {
    lastOfCases(newTable("id VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY, word TEXT"))
  }
}

class DerbyEpochSuite  extends EpochLaws(TestDatabase.derby())
class H2EpochSuite     extends EpochLaws(TestDatabase.h2())
class SqliteEpochSuite extends EpochLaws(TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite")))

class PostgresEpochSuite extends EpochLaws(TestDatabase.postgres) {
  test("the staging table is recreated for a changed column type with the same JDBC type") {
    val table = s"${database.newHeap()}_z"
    replaced(
      s"CREATE TYPE ${table}_word AS ENUM ('a')",
      s"CREATE TABLE $table (id BIGSERIAL, word ${table}_word)"
    )(
      s"ALTER TABLE $table ALTER COLUMN word TYPE TEXT"
    )(table, "b")
  }
}

class MariaDbEpochSuite extends EpochLaws(TestDatabase.mariaDb) {
  test("the staging table is recreated for a changed character set") {
    val table = s"${database.newHeap()}_c"
    replaced(s"CREATE TABLE $table (id BIGINT, word VARCHAR(100) CHARACTER SET latin1)")(
      s"ALTER TABLE $table MODIFY word VARCHAR(100) CHARACTER SET utf8mb4"
    )(table, "\u0436")
    assert(database.rows(s"SELECT word FROM $table WHERE id = 1") === Seq(Seq("\u0436")))
  }
}
