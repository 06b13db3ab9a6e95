// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** What stands above the sections of the matrix' pages. */
private object Introductions {
  import MatrixPage.Result

  def ofFiles: String =
    s"""# Crash matrix
       |
       |Each section is written by the long run of its suite (`STOPLOG_LONG=1`, the suites of `stoplog.matrix`).
       |
       |A query of ${JobRows.Epochs} epochs in two runs, with a changing number of tasks, repeated task attempts,
       |parts rolled by rows, age, open limit and end, and old orphans, is stopped at a step of the protocol:
       |
       |${CrashMode.all.map(fate => s"- **${fate.name}**: ${fate.meaning}.").mkString("\n")}
       |
       |Then a new run does the rest.
       |
       |"$Result" means: read with a client that knows nothing of stoplog, every row of every epoch is there exactly
       |once, no file is torn, only names of finished parts are visible, and a later run deletes all unfinished
       |files. For formats with blocks, every spool file that the newest record names is complete when
       |the process stops, and no spool file is left at the end.
       |
       |`RestartMatrixSuite` repeats this with a query that finishes open parts (`onRestart=finish`): a process is
       |killed at each step, and the successor at each step of the start.
       |
       |`EventTimeMatrixSuite` repeats this with a query that closes parts by event times (`eventTimeInterval`): after every
       |stop, no part has a row that is later than the part's first row by the interval or more.
       |""".stripMargin

  def ofConnectors: String =
    s"""# Crash matrix of the connectors
       |
       |The sinks of the connectors, stopped at every step of their protocols, as [the matrix of files](crash-matrix.md) does it.
       |Each section is written by the long run of its suite (`STOPLOG_LONG=1`, the suites that extend `ConnectorMatrixSuite`).
       |
       |A query of ${ConnectorCrash.Epochs} epochs runs the real code of driver and tasks, without Spark around it. At a step its
       |process is
       |
       |- **${CrashMode.Killed.name}**: ${CrashMode.Killed.meaning},
       |  and its connections. Then a new process does the rest.
       |- **${CrashMode.Killed.name} twice**: the successor also dies, at the same step. A third process does the rest.
       |- **${CrashMode.Woken.name}**: ${CrashMode.Woken.meaning}.
       |  Late actions of the process harm no other process: the process continues, or ends with a named error. Then another
       |  process writes another epoch.
       |
       |If a sink records epochs outside of the checkpoint, each step is tested in another way: the process is killed, the
       |checkpoint is restored from a copy made before the epoch, and the next process plans the epoch again, with other rows.
       |The process is rejected with a named error, or all its rows are visible and no rows of the former plan.
       |
       |To successors, a process that hangs for ever equals a killed process, unless its section states otherwise. In
       |brackets: the tested occurrences of the step.
       |
       |"$Result" means: read with the target's own client, every row of every epoch is there exactly once, and nothing is
       |left open or half done in the target. Between the death and the end nothing is there that should not be. Where rows
       |have keys, "${ConnectorRows.Upserts.result}" means the same of the keys, each once and with nothing older.
       |
       |Processes of Spark that are halted at steps, or ended by `kill -9` at random moments together with their servers, are
       |the matter of `tests/e2e/test_kafka.py`, `test_jdbc.py`, `test_cassandra.py`, `test_wal.py` and `test_wal_tables.py`.
       |""".stripMargin
}
