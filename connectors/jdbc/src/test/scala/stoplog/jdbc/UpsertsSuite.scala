// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.scalatest.funsuite.AnyFunSuite

import stoplog.jdbc.client.{Dialect, Statement, TableName, UpsertKey}

class UpsertsSuite extends AnyFunSuite {
  private def upsert(dialect: Dialect, columns: String*) =
    dialect.upsert("t", columns, UpsertKey(Seq("k"), None))

  test("each dialect has its statement and order of parameters") {
    assert(
      upsert(Dialect.PostgreSql, "k", "a") === Statement(
        "INSERT INTO t (k, a) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET a = EXCLUDED.a",
        Seq(0, 1)
      )
    )
    assert(upsert(Dialect.Sqlite, "k", "a") === upsert(Dialect.PostgreSql, "k", "a"))
    assert(
      upsert(Dialect.MySql, "k", "a") === Statement(
        "INSERT INTO t (k, a) VALUES (?, ?) ON DUPLICATE KEY UPDATE a = VALUES(a)",
        Seq(0, 1)
      )
    )
    val merged = "WHEN MATCHED THEN UPDATE SET a = ? WHEN NOT MATCHED THEN INSERT (a, k) VALUES (?, ?)"
    assert(
      upsert(Dialect.Derby, "a", "k") === Statement(
        s"MERGE INTO t AS stoplog_t USING sysibm.sysdummy1 AS stoplog_s ON stoplog_t.k = ? $merged",
        Seq(1, 0, 0, 1)
      )
    )
    assert(
      upsert(Dialect.Merge, "a", "k").sql ===
        s"MERGE INTO t AS stoplog_t USING (VALUES (1)) AS stoplog_s (stoplog_one) ON stoplog_t.k = ? $merged"
    )
  }

  test("each dialect replaces only rows with a smaller version") {
    def versioned(dialect: Dialect) = dialect.upsert("t", Seq("k", "v", "a"), UpsertKey(Seq("k"), Some("v")))
    assert(
      versioned(Dialect.PostgreSql).sql === "INSERT INTO t AS stoplog_t (k, v, a) VALUES (?, ?, ?) " +
        "ON CONFLICT (k) DO UPDATE SET v = EXCLUDED.v, a = EXCLUDED.a WHERE stoplog_t.v IS NULL OR EXCLUDED.v > stoplog_t.v"
    )
    assert(versioned(Dialect.MySql).sql.endsWith("v = IF(v IS NULL OR VALUES(v) > v, VALUES(v), v)"))
    assert(versioned(Dialect.Derby).parameters === Seq(0, 1, 1, 2, 0, 1, 2))
  }

  test("the URL determines the dialect") {
    val urls =
      Seq("jdbc:derby:memory:d", "jdbc:postgresql://h/d", "jdbc:mysql://h/d", "jdbc:mariadb://h/d") ++
        Seq("jdbc:sqlite:/d", "jdbc:h2:mem:d")
    assert(
      urls.map(Dialect.of) === Seq(Dialect.Derby, Dialect.PostgreSql, Dialect.MySql, Dialect.MySql) ++
        Seq(Dialect.Sqlite, Dialect.Merge)
    )
  }

  test("sibling tables keep the schema and quoting of the target") {
    assert(TableName.inSameSchema("orders", "x") === "x")
    assert(TableName.inSameSchema("public.orders", "x") === "public.x")
    assert(TableName.inSameSchema("\"a.b\".\"c.d\"", "x") === "\"a.b\".x")
    assert(TableName.inSameSchema("`a.b`", "x") === "x")
  }
}
