// SPDX-License-Identifier: Apache-2.0
package stoplog.part

/** The earliest and the latest time among the rows of a part, in microseconds since 1970-01-01T00:00:00. */
final case class TimeRange(minMicros: Long, maxMicros: Long)
