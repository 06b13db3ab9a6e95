// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The jar's own threads, the locks and memory shared by tasks of a JVM, the clocks, and the pauses between
  * retries.
  */
package object thread
