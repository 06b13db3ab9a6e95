package stoplog.store.hdfs

import stoplog.laws._

class HdfsPartStoreSuite extends PartStoreLaws {
  override def newStorage(): StorageUnderTest = HdfsStorage.create()
}

class HdfsFencingSuite extends FencingLaws {
  override def newStorage(): StorageUnderTest = HdfsStorage.create()
}

class HdfsUnannouncedSuite extends UnannouncedLaws {
  override def newStorage(): StorageUnderTest = HdfsStorage.create()
}

class HdfsStagedSuite extends StagingLaws {
  override def newStorage(): StorageUnderTest = HdfsStorage.create()
}

class HdfsRecordsSuite extends RecordStoreLaws {
  override def newStorage(): StorageUnderTest = HdfsStorage.create()
}
