// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration

import stoplog.laws._

/** The file system under test: all that has to be written for one that Hadoop knows. */
trait OnOwnFileSystem {
  def newStorage(): StorageUnderTest = {
    val configuration = new Configuration()
    configuration.set("fs.own.impl", classOf[OwnFileSystem].getName)
    HadoopUnderTest.under(s"own:${Files.createTempDirectory("own")}", configuration)
  }
}

// What every store has to promise.
class OwnFilesSuite       extends FileStoreLaws with OnOwnFileSystem
class OwnPartStoreSuite   extends PartStoreLaws with OnOwnFileSystem
class OwnFencingSuite     extends FencingLaws with OnOwnFileSystem
class OwnStagingSuite     extends StagingLaws with OnOwnFileSystem
class OwnSpoolSuite       extends SpoolFilesLaws with OnOwnFileSystem
class OwnFinishedSuite    extends ReplacedFilesLaws with OnOwnFileSystem
class OwnRecordStoreSuite extends LogFilesLaws with OnOwnFileSystem

// What this one promises, where there is a choice: each of these has a weaker or another counterpart.
class OwnUnannouncedSuite  extends UnannouncedLaws with OnOwnFileSystem  // or AnnouncementLaws
class OwnInPlaceSuite      extends InPlaceLaws with OnOwnFileSystem      // or CopyingLaws
class OwnCutSuite          extends CutLaws with OnOwnFileSystem          // or ValidLengthLaws
class OwnEarlyListingSuite extends EarlyListingLaws with OnOwnFileSystem // or LateListingLaws
