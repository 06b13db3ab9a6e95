// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import stoplog.LongRun
import stoplog.commit.SleepingDriverLaws
import stoplog.laws._

class StagingDiskPartStoreSuite extends PartStoreLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)
}

class StagingProcessPartStoreSuite extends PartStoreLaws with LongRun {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class InBucketDiskPartStoreSuite extends PartStoreLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.inBucket, LocalForcing.Disk)
}

class InBucketProcessPartStoreSuite extends PartStoreLaws with LongRun {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.inBucket, LocalForcing.Process)
}

class StagingDiskFencingSuite extends FencingLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)
}

class InBucketProcessFencingSuite extends FencingLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.inBucket, LocalForcing.Process)
}

class StagingDiskAnnouncementSuite extends AnnouncementLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)
}

class InBucketProcessAnnouncementSuite extends AnnouncementLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.inBucket, LocalForcing.Process)
}

class StagingProcessStagedSuite extends StagingLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class InBucketProcessStagedSuite extends StagingLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.inBucket, LocalForcing.Process)
}

class DiskFilesSuite extends FileStoreLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)
}

class ProcessFilesSuite extends FileStoreLaws with LongRun {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class DiskSpoolSuite extends SpoolFilesLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)
}

class ProcessSpoolSuite extends SpoolFilesLaws with LongRun {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class DiskRecordsSuite extends LogFilesLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)
}

class ProcessRecordsSuite extends LogFilesLaws with LongRun {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class LocalInPlaceSuite extends InPlaceLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class LocalCutSuite extends CutLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class LocalEarlyListingSuite extends EarlyListingLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class DiskFinishedSuite extends ReplacedFilesLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)
}

class LocalSleepingDriverSuite extends SleepingDriverLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class StagingProcessPathSuite extends PathLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Process)
}

class InBucketProcessPathSuite extends PathLaws {
  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.inBucket, LocalForcing.Process)
}
