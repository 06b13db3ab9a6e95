// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.fault.{Faults, Step}

/** A batch job beside others under the same path, which it carries on with. */
class JobsBesideOthersSuite extends AnyFunSuite {
  import JobsUnderTest._

  test("a finished job that cannot be deleted does not block an overwrite") {
    within { place =>
      intercept[Died](place.append("batch-1", new FaultAtStep(Step.AfterMark), "b" -> "first"))
      JobCommit.rollForward(Seq(place.job("batch-1", new At(Step.MidRemove))))
      assert(place.hasLeft("batch-1") && place.rows === Vector("first"))
      place.overwrite("batch-2", Faults.none, "new")
      assert(place.rows === Vector("new"))
    }
  }

  test("an unrecoverable job does not block the recovery of other jobs, but blocks overwrites") {
    within { place =>
      place.plant("b/old.txt", "old")
      intercept[Died](place.append("batch-2", new FaultAtStep(Step.AfterRecord), "b" -> "second"))
      place.plant("_stoplog/batch-1/log/00000000000000000000.commit", "no record")
      JobCommit.rollForward(Seq(place.job("batch-1"), place.job("batch-2")))
      assert(place.rows === Vector("old", "second"))
      val refused = intercept[StoplogArgumentException](place.overwrite("batch-3", Faults.none, "new"))
      assert(refused.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
      assert(refused.getMessage.contains(s"${place.root}/_stoplog/batch-1"))
      assert(place.rows === Vector("old", "second"))
    }
  }
}
