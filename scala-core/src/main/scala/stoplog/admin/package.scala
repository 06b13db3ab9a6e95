// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Commands for operators of a sink. Each command plans its actions and executes the plan through the same
  * log and claims as a query.
  *
  * The commands run without a Spark session. [[SinkAdmin]] is their API, [[Main]] the API of Python's command
  * line.
  */
package object admin
