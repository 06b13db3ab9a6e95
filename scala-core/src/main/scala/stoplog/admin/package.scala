// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Operators' commands for a sink: each plans its actions, and carries them out by the same log and claims as a
  * query.
  *
  * The commands do without Spark's session. [[SinkAdmin]] is their API, [[Main]] that of Python's command line.
  */
package object admin
