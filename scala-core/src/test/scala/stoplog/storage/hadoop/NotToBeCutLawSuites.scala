// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.LongRun
import stoplog.laws._

private[hadoop] trait OnNotToBeCut {
  def newStorage(): StorageUnderTest = TestFileSystems.storage("cutting", asked = Some(Trimming.ValidLength))
}

class NotToBeCutPartStoreSuite   extends PartStoreLaws with OnNotToBeCut with LongRun
class NotToBeCutValidLengthSuite extends ValidLengthLaws with OnNotToBeCut
class NotToBeCutStagingSuite     extends StagingLaws with OnNotToBeCut with LongRun
class NotToBeCutFencingSuite     extends FencingLaws with OnNotToBeCut with LongRun
