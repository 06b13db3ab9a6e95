// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import stoplog.laws._

private[hadoop] trait OnNotToBeCut {
  def newStorage(): StorageUnderTest = TestFileSystems.storage("cutting", asked = Some(Trimming.ValidLength))
}

class NotToBeCutPartStoreSuite   extends PartStoreLaws with OnNotToBeCut
class NotToBeCutValidLengthSuite extends ValidLengthLaws with OnNotToBeCut
class NotToBeCutStagingSuite     extends StagingLaws with OnNotToBeCut
class NotToBeCutFencingSuite     extends FencingLaws with OnNotToBeCut
