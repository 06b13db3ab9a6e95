// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Threads that belong to the jar, locks and memory that tasks of one JVM share, the clocks, and the pauses between tries.
  */
package object thread
