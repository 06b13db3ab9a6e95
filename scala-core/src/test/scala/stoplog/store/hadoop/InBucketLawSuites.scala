// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import stoplog.laws._
import stoplog.store.PartLayout

private[hadoop] trait OnInBucket {
  def newStorage(): StorageUnderTest =
    TestFileSystems.storage("appendonly", PartLayout.InBucket(_, "_", ".in-progress", "_", ".pending"))
}

class InBucketPartStoreSuite extends PartStoreLaws with OnInBucket
class InBucketStagingSuite   extends StagingLaws with OnInBucket
class InBucketFencingSuite   extends FencingLaws with OnInBucket
