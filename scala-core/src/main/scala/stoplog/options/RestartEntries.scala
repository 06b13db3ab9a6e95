// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** What a start finds of earlier ones. */
private[options] trait RestartEntries extends OptionForms {

  val OnRestart: SinkOption = withDefault(
    OptionGroup.Recovery,
    "onRestart",
    "`continue` or `finish`",
    "continue",
    "What a start of the query does with the parts that an earlier one has left open. `continue`: it goes on in them. " +
      "`finish`: it cuts each to its committed length and publishes it by a record of the log, before its first epoch " +
      "or, without data, after `bucketCheckInterval`; new rows go into new parts. As the BucketingSink did.",
    "finish"
  )
}
