// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.file.Files

class DerbyUpsertSuite    extends UpsertLaws(TestDatabase.derby())
class H2UpsertSuite       extends UpsertLaws(TestDatabase.h2())
class SqliteUpsertSuite   extends UpsertLaws(TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite")))
class PostgresUpsertSuite extends UpsertLaws(TestDatabase.postgres)
class MariaDbUpsertSuite  extends UpsertLaws(TestDatabase.mariaDb)

class DerbyEpochSuite    extends EpochLaws(TestDatabase.derby())
class H2EpochSuite       extends EpochLaws(TestDatabase.h2())
class SqliteEpochSuite   extends EpochLaws(TestDatabase.sqlite(Files.createTempDirectory("stoplog-sqlite")))
class PostgresEpochSuite extends EpochLaws(TestDatabase.postgres)
class MariaDbEpochSuite  extends EpochLaws(TestDatabase.mariaDb)
