// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The files of a query's checkpoint: Spark's files, which stoplog only reads, and the state of sources. */
package object checkpoint
