// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

import stoplog.commit.{CompactionPolicy, CompleteRule}
import stoplog.log.{LogRules, TestRules}

/** A kind of world. Has dice of its own, so that what a seed draws otherwise is the same in all of them. */
final case class Setting(
    name: String,
    draw: SplittableRandom => WorldConditions,
    traits: WorldTraits => WorldTraits = identity,
    rule: CompleteRule => CompleteRule = identity,
    differences: WorldConditions => LogRules = Setting.differences
) {
  def of(seed: Long): WorldConditions = {
    val drawn = draw(new SplittableRandom(seed ^ Setting.Salt))
    if (seed % 2 == 0) drawn else drawn.copy(log = differences(drawn))
  }

  /** The same, where all records are whole. */
  def whole: Setting = copy(name = s"$name, whole records", differences = _ => LogRules.standard)

  /** The same, where parts are merged. */
  def merging: Setting = copy(
    name = s"$name, merging",
    traits = before => traits(before).copy(compaction = Some(Setting.Eager), format = SimFormat.Lines)
  )

  /** The same, where nothing is merged. */
  def uncompacted: Setting = copy(traits = before => traits(before).copy(compaction = None))

  /** The same, where buckets are complete after a minute, so that there are manifests and markers. */
  def announcing: Setting = copy(rule = _ => CompleteRule.ByIdleness(60 * 1000L))
}

object Setting {

  /** Local disks, with nobody else at work. */
  val plain: Setting = of("plain")(WorldConditions())

  def of(name: String)(surroundings: WorldConditions): Setting = Setting(name, _ => surroundings)

  /** Of so few records only a log may be of which no tool asks for an old one. */
  private def differences(drawn: WorldConditions): LogRules =
    if (drawn.tools.exists(looksBack)) TestRules.differences
    else TestRules.differences.copy(records = FewRecords)

  private val FewRecords = 12

  private val looksBack: Set[Operator.Act] = Set(Operator.Rewind, Operator.Reset, Operator.Adopt)

  private val Salt = 0x0ddba11c0ffeeL

  private val Eager =
    CompactionPolicy(smallerThanBytes = 300, targetBytes = 600, afterEpochs = 1, minFiles = 2)
}
