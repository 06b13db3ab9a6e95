// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.laws._

private[hadoop] trait OnAppendOnly {
  def newStorage(): StorageUnderTest = TestFileSystems.storage("appendonly")
}

class AppendOnlyPartStoreSuite    extends PartStoreLaws with OnAppendOnly
class AppendOnlyFencingSuite      extends FencingLaws with OnAppendOnly
class AppendOnlyUnannouncedSuite  extends UnannouncedLaws with OnAppendOnly
class AppendOnlyStagingSuite      extends StagingLaws with OnAppendOnly
class AppendOnlySpoolSuite        extends SpoolFilesLaws with OnAppendOnly
class AppendOnlyFilesSuite        extends FileStoreLaws with OnAppendOnly
class AppendOnlyFinishedSuite     extends ReplacedFilesLaws with OnAppendOnly
class AppendOnlyRecordStoreSuite  extends LogFilesLaws with OnAppendOnly
class AppendOnlyInPlaceSuite      extends InPlaceLaws with OnAppendOnly
class AppendOnlyCutSuite          extends CutLaws with OnAppendOnly
class AppendOnlyEarlyListingSuite extends EarlyListingLaws with OnAppendOnly
class AppendOnlyPathSuite         extends PathLaws with OnAppendOnly
