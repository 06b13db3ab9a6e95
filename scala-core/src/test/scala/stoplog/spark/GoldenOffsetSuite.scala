// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.error.StoplogException

/** What release 0.1.0 wrote into the offsets of a checkpoint. The file is never edited: a new version gets a new one. */
class GoldenOffsetSuite extends AnyFunSuite {
  private val golden =
    Repository.read(Repository.root.resolve("scala-core/src/test/resources/golden/offset-v1.json"))

  test("an offset of version 1 is parsed and written unchanged") {
    val offset = SourceStream.SourceOffset.parse(golden)
    assert(offset === SourceStream.SourceOffset(9007199254740993L))
    assert(offset.json() === golden)
  }

  test("rejects a newer version and reports both versions") {
    val newer = golden.replace("\"version\":1", "\"version\":2")
    val error = intercept[StoplogException](SourceStream.SourceOffset.parse(newer))
    assert(error.getCondition === "STOPLOG_RECORD_TOO_NEW")
    assert(error.getMessageParameters.get("version") === "2")
    assert(error.getMessageParameters.get("supported") === "1")
  }
}
