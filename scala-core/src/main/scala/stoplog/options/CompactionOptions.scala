// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.CompactionPolicy
import stoplog.options.{SinkOptionRegistry => Registry}
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy}

/** That small finished parts are to be merged, as asked for.
  *
  * @param compactor the user's own [[stoplog.compact.Compactor]], by a class name or in the form of
  *                  [[UserObject.reference]]; none for that of the format
  */
final case class CompactionChoice(policy: CompactionPolicy, compactor: Option[String])

private[stoplog] object CompactionChoice {

  /** What is wrong where nobody knows how files are merged. */
  val NoCompactor: String =
    "compaction needs a compactor with an own encoder or bulkWriter: set compactor to a class."
}

/** The options of compaction. */
private[options] trait CompactionEntries extends OptionForms {

  val Compaction: SinkOption = withDefault(
    OptionGroup.Compaction,
    "compaction",
    "`none` or `smallParts`",
    "none",
    "`smallParts` merges small finished parts of a bucket, between epochs and by a record of the log: see " +
      "[Compaction](compaction.md). `none` leaves every part as it was published.",
    "smallParts"
  )

  val CompactSmallerThan: SinkOption = option(
    OptionGroup.Compaction,
    "compactSmallerThan",
    "size",
    "a quarter of `compactTo`",
    "A finished part below this is merged with others; at most half of `compactTo`.",
    "32m"
  )

  val CompactTo: SinkOption = option(
    OptionGroup.Compaction,
    "compactTo",
    "size",
    "`maxPartSize`, or `128m`",
    "How large a merged part gets at most. Small parts that have this size together are merged at once.",
    "256m"
  )

  val CompactAfterEpochs: SinkOption = withDefault(
    OptionGroup.Compaction,
    "compactAfterEpochs",
    "whole number",
    "100",
    "The small parts of a bucket are merged when the oldest of them has waited for so many epochs; one that was merged " +
      "and is small still waits eight times as long, each time.",
    "600"
  )

  val CompactMinFiles: SinkOption = withDefault(
    OptionGroup.Compaction,
    "compactMinFiles",
    "whole number",
    "2",
    "Fewer parts than this are not merged when they have waited long enough: they stay as they are.",
    "8"
  )

  val Compactor: SinkOption = option(
    OptionGroup.Compaction,
    "compactor",
    "class name",
    "that of the format; required for an own `encoder` or `bulkWriter`",
    "How parts are merged: the name of a class that extends `stoplog.compact.Compactor` and has a public constructor " +
      "without arguments, or of a Scala object.",
    "com.example.Appended"
  )

  private[options] def compactionOptions: Seq[SinkOption] =
    Seq(Compaction, CompactSmallerThan, CompactTo, CompactAfterEpochs, CompactMinFiles, Compactor)
}

private[options] object CompactionOptions {

  def parse(
      asked: AskedOptions,
      format: Option[FormatChoice],
      rolling: RollingPolicy,
      problems: Problems
  ): Option[CompactionChoice] =
    asked.choice(Registry.Compaction, CompactionMode.all) match {
      case CompactionMode.None =>
        asked.withoutEffect(others, "unless compaction is set to smallParts")
        None
      case CompactionMode.SmallParts =>
        val choice = CompactionChoice(policy(asked, rolling), asked.reference(Registry.Compactor))
        if (choice.policy.smallerThanBytes > choice.policy.targetBytes / 2)
          problems.add(
            "compactSmallerThan is more than half of compactTo: two parts of that size would be too many."
          )
        if (choice.compactor.isEmpty && format.exists(isOwn))
          problems.add(CompactionChoice.NoCompactor)
        Some(choice)
    }

  private def policy(asked: AskedOptions, rolling: RollingPolicy): CompactionPolicy = {
    val target  = asked.optional(Registry.CompactTo)(ByteSize.parse).getOrElse(partSize(rolling))
    val smaller = asked.optional(Registry.CompactSmallerThan)(ByteSize.parse).getOrElse((target / 4).max(1))
    CompactionPolicy(
      smaller,
      target,
      asked.value(Registry.CompactAfterEpochs)(AskedOptions.wholeNumber),
      asked.value(Registry.CompactMinFiles)(two)
    )
  }

  private def others = Registry.compactionOptions.filterNot(_ == Registry.Compaction)

  private def isOwn(format: FormatChoice): Boolean = format match {
    case FormatChoice.UserEncoder(_) | FormatChoice.UserBulk(_) => true
    case _                                                      => false
  }

  private def partSize(rolling: RollingPolicy): Long = rolling match {
    case policy: DefaultRollingPolicy      => policy.maxPartSizeBytes
    case policy: OnCheckpointRollingPolicy => policy.maxPartSizeBytes.getOrElse(DefaultBytes)
    case _                                 => DefaultBytes
  }

  private[options] def two(text: String): Either[String, Int] =
    AskedOptions
      .wholeNumber(text)
      .filterOrElse(
        n => n >= 2 && n <= CompactionPolicy.MostFiles,
        s"is not from 2 to ${CompactionPolicy.MostFiles}"
      )
      .map(_.toInt)

  private[options] val DefaultBytes = 128L << 20
}
