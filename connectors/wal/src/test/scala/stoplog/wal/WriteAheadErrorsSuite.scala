package stoplog.wal

import stoplog.error.{ConditionRules, Conditions}

class WriteAheadErrorsSuite
    extends ConditionRules(
      classOf[WriteAheadProvider].getClassLoader.getResource(Conditions.ConnectorResource),
      Seq(
        WriteAheadErrors
          .notSent("inbox", Chunk("main", "chunk-1", Some(7L), 0, 2), new IllegalStateException("it is full"))
      )
    )
