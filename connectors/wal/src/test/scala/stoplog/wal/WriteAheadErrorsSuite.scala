// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.error.{ConditionRules, Conditions}

class WriteAheadErrorsSuite
    extends ConditionRules(
      classOf[WriteAheadProvider].getClassLoader.getResource(Conditions.ConnectorResource),
      Seq(
        WriteAheadErrors.jarMissing(
          "jdbc",
          "io.github.stoplog:stoplog-jdbc_2.13:1",
          new ClassNotFoundException("stoplog.jdbc.wal.JdbcSender")
        ),
        WriteAheadErrors.notSent(
          "inbox",
          Chunk("main", "query", "chunk-1", Some(7L), 0, 2),
          new IllegalStateException("it is full")
        )
      )
    )
