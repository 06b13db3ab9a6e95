// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.laws._

private[hadoop] trait OnCreateOnly {
  def newStorage(): StorageUnderTest = TestFileSystems.storage("createonly")
}

class CreateOnlyPartStoreSuite   extends PartStoreLaws with OnCreateOnly
class CreateOnlyFencingSuite     extends FencingLaws with OnCreateOnly
class CreateOnlyUnannouncedSuite extends UnannouncedLaws with OnCreateOnly
class CreateOnlyStagingSuite     extends StagingLaws with OnCreateOnly
class CreateOnlyFinishedSuite    extends ReplacedFilesLaws with OnCreateOnly
class CreateOnlySpoolSuite       extends SpoolFilesLaws with OnCreateOnly
class CreateOnlyFilesSuite       extends FileStoreLaws with OnCreateOnly
class CreateOnlyRecordStoreSuite extends LogFilesLaws with OnCreateOnly
class CreateOnlyCopyingSuite     extends CopyingLaws with OnCreateOnly
class CreateOnlyCutSuite         extends CutLaws with OnCreateOnly
class CreateOnlyLateListingSuite extends LateListingLaws with OnCreateOnly
