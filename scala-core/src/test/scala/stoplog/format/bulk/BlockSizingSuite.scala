// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.bulk.OpenBlock.Ratios

class BlockSizingSuite extends AnyFunSuite {
  private val MiB = 1L << 20

  private val unknown = BlockSizes(blockBytes = 128 * MiB, largeBytes = 64 * MiB, learned = None)

  private def known(block: Double, encoded: Double): BlockSizes =
    unknown.copy(learned = Some(Ratios(block, encoded, storage = block)))

  test("waits for 1 MiB of rows while the ratios of the format are unknown") {
    val sizing = BlockSizing.of(unknown, earlierRaw = Some(0))
    assert(!sizing.isEnough(waiting = MiB - 1, fresh = MiB - 1))
    assert(sizing.isEnough(waiting = MiB, fresh = 0))
  }

  test("waits for the rows of a full block if the ratios are known") {
    val sizing = BlockSizing.of(known(block = 0.5, encoded = 0.25), earlierRaw = Some(0))
    assert(!sizing.isEnough(waiting = 256 * MiB - 1, fresh = 0))
    assert(sizing.isEnough(waiting = 256 * MiB, fresh = 0))
  }

  test("waits for the rows of one epoch that make a large block") {
    val sizing = BlockSizing.of(known(block = 0.1, encoded = 0.5), earlierRaw = Some(0))
    assert(!sizing.isEnough(waiting = 1000 * MiB, fresh = 128 * MiB - 1))
    assert(sizing.isEnough(waiting = 1000 * MiB, fresh = 128 * MiB))
  }

  test("expects a large first epoch from a quarter of a large block, and from 16 MiB at least") {
    val sizing = BlockSizing.of(known(block = 1, encoded = 0.5), earlierRaw = None)
    assert(!sizing.isLikelyLarge(32 * MiB - 1) && sizing.isLikelyLarge(32 * MiB))
    val dense = BlockSizing.of(known(block = 1, encoded = 4), earlierRaw = None)
    assert(!dense.isLikelyLarge(16 * MiB - 1) && dense.isLikelyLarge(16 * MiB))
  }

  test("expects another large epoch after 2 MiB, and never if rows of earlier epochs wait") {
    val sizing = BlockSizing.of(unknown, earlierRaw = Some(0))
    assert(!sizing.isLikelyLarge(2 * MiB - 1) && sizing.isLikelyLarge(2 * MiB))
    assert(!BlockSizing.of(unknown, earlierRaw = Some(1)).isLikelyLarge(Long.MaxValue - 1))
  }

  test("checks once per epoch whether the epoch is large") {
    val checked = BlockSizing.of(unknown, earlierRaw = None).likelyChecked
    assert(!checked.isLikelyLarge(1000 * MiB))
    assert(!checked.updated(unknown).isLikelyLarge(1000 * MiB))
  }

  test("updates the limit of the first epoch, and keeps the limit of a later epoch") {
    val denser = known(block = 1, encoded = 0.25)
    assert(!BlockSizing.of(unknown, earlierRaw = None).updated(denser).isLikelyLarge(64 * MiB - 1))
    assert(BlockSizing.of(unknown, earlierRaw = Some(0)).updated(denser).isLikelyLarge(2 * MiB))
  }

  test("waits for twice as many rows if the rows did not fill a block as predicted") {
    val sizes     = known(block = 1, encoded = 1)
    val postponed = BlockSizing.of(sizes, earlierRaw = Some(0)).postponed(sizes, 130 * MiB, 100 * MiB)
    assert(!postponed.isEnough(waiting = 260 * MiB - 1, fresh = 200 * MiB))
    assert(postponed.isEnough(waiting = 260 * MiB, fresh = 200 * MiB))
  }

  test("does not wait longer if the rows are fewer than the updated limits") {
    val sizes = known(block = 0.5, encoded = 0.5)
    val now   = BlockSizing.of(unknown, earlierRaw = Some(0)).postponed(sizes, waiting = 2 * MiB, fresh = MiB)
    assert(now.enough === 256 * MiB && now.enoughFresh === 128 * MiB && now.ratios === sizes.ratios)
  }

  test("learns from blocks of a 128th of a full block, and from any block if no ratios are known") {
    assert(unknown.areLearnedFrom(1) && !unknown.areLearnedFrom(0))
    assert(known(1, 1).areLearnedFrom(MiB) && !known(1, 1).areLearnedFrom(MiB - 1))
  }
}
