// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.laws._

private[hadoop] trait OnCutting {
  def newStorage(): StorageUnderTest = TestFileSystems.storage("cutting")
}

class CuttingPartStoreSuite    extends PartStoreLaws with OnCutting
class CuttingFencingSuite      extends FencingLaws with OnCutting
class CuttingUnannouncedSuite  extends UnannouncedLaws with OnCutting
class CuttingStagingSuite      extends StagingLaws with OnCutting
class CuttingFilesSuite        extends FileStoreLaws with OnCutting
class CuttingRecordStoreSuite  extends LogFilesLaws with OnCutting
class CuttingInPlaceSuite      extends InPlaceLaws with OnCutting
class CuttingCutSuite          extends CutLaws with OnCutting
class CuttingEarlyListingSuite extends EarlyListingLaws with OnCutting
