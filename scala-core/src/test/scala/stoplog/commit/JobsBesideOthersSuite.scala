// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.fault.Step

/** A batch job beside others under the same path, which it carries on with. */
class JobsBesideOthersSuite extends AnyFunSuite {
  import JobCommitSuite._

  test("a job whose rows are visible, and which cannot be removed, is no reason to refuse an overwrite") {
    within { place =>
      intercept[Died](place.overwrite("batch-1", new Dying(Step.AfterMark), "new"))
      assert(JobCommit.rollForward(Seq(place.job("batch-1", new At(Step.MidRemove)))) === Nil)
      assert(place.hasLeft("batch-1") && place.rows === Vector("new"))
    }
  }

  test("a job that cannot be dealt with keeps no other from being carried on") {
    within { place =>
      intercept[Died](place.overwrite("batch-2", new Dying(Step.AfterRecord), "new"))
      place.plant("_stoplog/batch-1/log/00000000000000000000.json", "no record")
      val undone = JobCommit.rollForward(Seq(place.job("batch-1"), place.job("batch-2")))
      assert(place.rows === Vector("new"))
      val refused = intercept[StoplogArgumentException](JobCommit.refuseBeside(undone, "/data/out"))
      assert(refused.getMessage.contains("/data/out/_stoplog/batch-1"))
      JobCommit.refuseBeside(Nil, "/data/out")
    }
  }
}
