// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** SequenceFile, by Hadoop's own writer. A block ends with each epoch. Depends on [[stoplog.format.bulk]]. */
package object sequence
