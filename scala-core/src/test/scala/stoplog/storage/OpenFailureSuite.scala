// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{FileNotFoundException, IOException}
import java.nio.file._

import org.apache.hadoop.security.AccessControlException
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.storage.OpenFailure._

/** Tells an absent file from a file that could not be opened. */
class OpenFailureSuite extends AnyFunSuite {
  private val refusals = Seq(
    "Permission denied"     -> NotPermitted,
    "Too many open files"   -> TooManyOpenFiles,
    "Stale file handle"     -> StaleHandle,
    "Input/output error"    -> InputOutput,
    "Stale NFS file handle" -> StaleHandle
  )

  test("recognizes refusals that java.io reports as not found, regardless of the file's existence") {
    for {
      (text, refused) <- refusals
      isThere         <- Seq(false, true)
      failure         <- Seq(
        new FileNotFoundException(s"/in/f ($text)"),
        new RuntimeException("a reader failed", new FileNotFoundException(s"/in/f ($text)")),
        new FileSystemException("/in/f", null, text),
        new IOException(text)
      )
    } assert(OpenFailure.of(failure)(isThere) === refused, s"$failure, $isThere")
    for (denied <- Seq(new AccessDeniedException("/in/f"), new AccessControlException("user=reader")))
      assert(OpenFailure.of(denied)(isThere = false) === NotPermitted)
  }

  test("a file is absent only if the storage confirms its absence") {
    for {
      failure <- Seq(
        new FileNotFoundException("/in/f (No such file or directory)"),
        new FileNotFoundException("/in/f (Datei oder Verzeichnis nicht gefunden)"),
        new NoSuchFileException("/in/f"),
        new RuntimeException(new FileNotFoundException("/in/f"))
      )
    } {
      assert(OpenFailure.of(failure)(isThere = false) === Absent)
      assert(OpenFailure.of(failure)(isThere = true) === Unknown)
      assert(OpenFailure.of(failure)(throw new AccessDeniedException("/in")) === NotPermitted)
      assert(
        OpenFailure.of(failure)(
          throw new FileSystemException("/in", null, "Stale file handle")
        ) === StaleHandle
      )
      assert(OpenFailure.of(failure)(throw new IOException("the server does not answer")) === Unknown)
    }
    assert(OpenFailure.of(new IOException("a broken block"))(isThere = false) === Unknown)
  }

  test("an error text within data is not a refusal") {
    for ((text, _) <- refusals) {
      val parsing = new IOException(s"unexpected '$text' at byte 7")
      assert(OpenFailure.of(parsing)(isThere = true) === Unknown)
      assert(OpenFailure.of(new IllegalArgumentException(text))(isThere = true) === Unknown)
    }
  }

  test("opening throws FileNotFoundException for an absent file only") {
    def opened(failure: IOException, isThere: Boolean) =
      OpenFailure.opening[Unit]("/in/f")(isThere)(throw failure)
    val absent = new FileNotFoundException("/in/f (No such file or directory)")
    assert(intercept[FileNotFoundException](opened(absent, isThere = false)) eq absent)
    intercept[FileNotFoundException](opened(new NoSuchFileException("/in/f"), isThere = false))
    assert(!intercept[IOException](opened(absent, isThere = true)).isInstanceOf[FileNotFoundException])
    for ((text, refused) <- refusals) {
      val failure = new FileNotFoundException(s"/in/f ($text)")
      val error   = intercept[StoplogException](opened(failure, isThere = true))
      assert(error.getCondition === refused.condition)
      assert(error.getMessage.contains("/in/f cannot be opened") && error.getMessage.contains(s": $text."))
      assert(OpenFailure.isRefusal(error))
    }
  }

  test("opens a file that appears between the first attempt and the check") {
    var tries = 0
    val found = OpenFailure.opening("/in/f")(isThere = true) {
      tries += 1
      if (tries < 3) throw new FileNotFoundException("/in/f") else tries
    }
    assert(found === 3)
  }

  test("a local file that the operating system cannot look up is not absent") {
    val directory = Files.createTempDirectory("stoplog-open")
    val loop      = Files.createSymbolicLink(directory.resolve("loop"), Paths.get("loop"))
    assert(!OpenFailure.isThere(directory.resolve("none")))
    assert(OpenFailure.isThere(directory))
    intercept[IOException](OpenFailure.isThere(loop))
  }
}
