// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.LongRun
import stoplog.laws._
import stoplog.storage.PartLayout

private[hadoop] trait OnInBucket {
  def newStorage(): StorageUnderTest =
    TestFileSystems.storage("appendonly", PartLayout.InBucket(_, "_", ".in-progress", "_", ".pending"))
}

class InBucketPartStoreSuite extends PartStoreLaws with OnInBucket with LongRun
class InBucketStagingSuite   extends StagingLaws with OnInBucket with LongRun
class InBucketFencingSuite   extends FencingLaws with OnInBucket with LongRun
