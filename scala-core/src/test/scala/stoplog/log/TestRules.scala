// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** Rules for logs of few small records, under which all happens that otherwise takes many open parts. */
object TestRules {

  /** Every record that may holds a difference, four in a row, and old records and marks go at once. */
  val differences: LogRules = LogRules(
    records = 100,
    marks = 1,
    batchSize = 1,
    LogRules.DeltaRule(fromBytes = 0, atMost = 4, share = Double.PositiveInfinity),
    Published.Files
  )
}
