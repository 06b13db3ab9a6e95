// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** Hadoop's SequenceFile, by Hadoop's own writer. A block ends with each epoch. The package knows [[stoplog.format.bulk]]. */
package object sequence
