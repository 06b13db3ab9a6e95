// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration

import stoplog.laws._

/** The file system under test: the complete test code for a file system that Hadoop supports. */
trait OnOwnFileSystem {
  def newStorage(): StorageUnderTest = {
    val configuration = new Configuration()
    configuration.set("fs.own.impl", classOf[OwnFileSystem].getName)
    HadoopUnderTest.under(s"own:${Files.createTempDirectory("own")}", configuration)
  }
}

// The promises of every store.
class OwnFilesSuite       extends FileStoreLaws with OnOwnFileSystem
class OwnPartStoreSuite   extends PartStoreLaws with OnOwnFileSystem
class OwnFencingSuite     extends FencingLaws with OnOwnFileSystem
class OwnStagingSuite     extends StagingLaws with OnOwnFileSystem
class OwnSpoolSuite       extends SpoolFilesLaws with OnOwnFileSystem
class OwnFinishedSuite    extends ReplacedFilesLaws with OnOwnFileSystem
class OwnRecordStoreSuite extends LogFilesLaws with OnOwnFileSystem

// The optional promises of this store; each has a weaker or another counterpart.
class OwnUnannouncedSuite  extends UnannouncedLaws with OnOwnFileSystem  // or AnnouncementLaws
class OwnInPlaceSuite      extends InPlaceLaws with OnOwnFileSystem      // or CopyingLaws
class OwnCutSuite          extends CutLaws with OnOwnFileSystem          // or ValidLengthLaws
class OwnEarlyListingSuite extends EarlyListingLaws with OnOwnFileSystem // or LateListingLaws
