// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import stoplog.LongRun
import stoplog.commit.SleepingDriverLaws
import stoplog.laws._
import stoplog.storage.hadoop.Trimming

class HdfsPartStoreSuite extends PartStoreLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsFencingSuite extends FencingLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsUnannouncedSuite extends UnannouncedLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsStagedSuite extends StagingLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsSpoolSuite extends SpoolFilesLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsFilesSuite extends FileStoreLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()

  // Threads that put at once show in an ordinary run that the NameNode lets one of them in.
  override protected def law(name: String)(body: StorageUnderTest => Unit): Unit =
    if (LongRun.isOn || !name.startsWith("of two processes exactly one")) super.law(name)(body)
}

class HdfsFinishedSuite extends ReplacedFilesLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsRecordsSuite extends LogFilesLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsInPlaceSuite extends InPlaceLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsCutSuite extends CutLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsEarlyListingSuite extends EarlyListingLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsNotToBeCutPartStoreSuite extends PartStoreLaws with LongRun {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create(trimming = Trimming.ValidLength)
}

class HdfsNotToBeCutValidLengthSuite extends ValidLengthLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create(trimming = Trimming.ValidLength)
}

class HdfsNotToBeCutFencingSuite extends FencingLaws with LongRun {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create(trimming = Trimming.ValidLength)
}

class HdfsSleepingDriverSuite extends SleepingDriverLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}

class HdfsPathSuite extends PathLaws {
  override def newStorage(): StorageUnderTest = HdfsUnderTest.create()
}
