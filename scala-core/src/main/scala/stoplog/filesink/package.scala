// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The sink of rolling part files: options, buckets, formats, policies and the commit protocol put together.
  *
  * [[filesink.FileEngineSink]] is the sink, [[filesink.FileSinkSpec]] all that a task needs of it, and
  * [[filesink.RowWriter]] the writer of a task. [[filesink.SinkCheck]] looks at a sink before its start, and
  * [[filesink.StateView]] shows the state of one as tables. The package knows the engine's seam, and not the frame.
  */
package object filesink
