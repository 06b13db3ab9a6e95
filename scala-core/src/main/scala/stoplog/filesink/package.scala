// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The sink of rolling part files: combines options, buckets, formats, policies and the commit protocol.
  *
  * [[filesink.FileEngineSink]] is the sink, [[filesink.FileSinkSpec]] contains all inputs of a task, and
  * [[filesink.RowWriter]] is the writer of a task. [[filesink.SinkCheck]] checks a sink before its start, and
  * [[filesink.StateView]] shows the state of a sink as tables. The package depends on the engine's interface,
  * not on its frame.
  */
package object filesink
