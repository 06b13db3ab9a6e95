// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import stoplog.commit.SleepingDriverLaws
import stoplog.laws._

class S3PartStoreSuite extends PartStoreLaws with S3Laws

class S3FencingSuite extends FencingLaws with S3Laws

class S3UnannouncedSuite extends UnannouncedLaws with S3Laws

class S3StagedSuite extends StagingLaws with S3Laws

class S3SpoolSuite extends SpoolFilesLaws with S3Laws

class S3FilesSuite    extends FileStoreLaws with S3Laws
class S3FinishedSuite extends ReplacedFilesLaws with S3Laws

class S3SleepingDriverSuite extends SleepingDriverLaws {
  override def newStorage(): StorageUnderTest = S3UnderTest.create(S3Settings())
}

class S3RecordsSuite extends LogFilesLaws with S3Laws

class S3ProxyPartStoreSuite extends PartStoreLaws with S3ProxyLaws

class S3ProxySpoolSuite extends SpoolFilesLaws with S3ProxyLaws

class S3ProxyFilesSuite extends FileStoreLaws with S3ProxyLaws

class S3ProxyRecordsSuite extends LogFilesLaws with S3ProxyLaws

/** The laws, but for those that S3 keeps in another way: [[S3OwnLawsSuite]] says in which. */
trait S3Laws extends LawSuite {
  override def newStorage(): StorageUnderTest = S3UnderTest.create(S3UnderTest.tails)

  override protected def law(name: String)(body: StorageUnderTest => Unit): Unit =
    if (!S3Laws.otherwise.exists(name.startsWith)) super.law(name)(body)
}

/** The same on a server of another make, which tells one of many that it was the first. */
trait S3ProxyLaws extends LawSuite {
  override def newStorage(): StorageUnderTest = S3UnderTest.create(S3UnderTest.tails, S3Bucket.ofOtherMake)

  override protected def law(name: String)(body: StorageUnderTest => Unit): Unit =
    if (!S3Laws.ofOtherMake.exists(name.startsWith)) super.law(name)(body)
}

object S3Laws {

  /** Those that S3Proxy keeps in another way as well. It lists the file into which it writes an object, in the object's
    * directory, until it gives that file the object's name.
    */
  private[s3] lazy val ofOtherMake = otherwise.take(5) :+ "a file that is being created is visible completely"

  /** Where S3Mock writes in several steps. [[S3AtomicLaws]] asks them through a proxy. */
  private[s3] lazy val inSteps =
    Seq(
      "exactly one of many concurrent callers creates a file",
      "exactly one of many concurrent callers sets a mark",
      "of two processes exactly one",
      "concurrent publications from many threads"
    )

  private[s3] lazy val otherwise = Seq(
    // bytes are staged at the end of the epoch, not before
    "each unfinished part is listed",
    // the very same record leaves the outcome unknown
    "a record is created once",
    // an object of the recorded length under a name that is made once in the world is the part
    "an existing finished name is an error", "two parts with one name do not share",
    // no record publishes one
    "a part without bytes"
  ) ++ inSteps
}
