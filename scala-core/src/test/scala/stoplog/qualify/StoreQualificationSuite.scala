// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.{Growth, Storage}
import stoplog.storage.hadoop.{HadoopDefaults, TestFileSystems}
import stoplog.thread.Clock

/** The verdicts, and the files that a trial leaves: none. */
class StoreQualificationSuite extends AnyFunSuite {
  import StoreRacesSuite.{local, within}

  test("a local disk is safe, and keeps no file of the trial") {
    within { (directory, _) =>
      Files.writeString(directory.resolve("kept"), "kept")
      val progress = new AtomicInteger
      val verdict  = quick.of(
        directory.toString,
        local,
        Vector.empty,
        (done, _) => progress.accumulateAndGet(done, _ max _): Unit
      )
      assert(verdict.safety === Safety.Safe)
      assert(verdict.left === None)
      assert(verdict.tried.map(_.name) === Promise.all.map(_.name))
      assert(verdict.tried.forall(_.races > 0))
      assert(progress.get === verdict.tried.map(_.races).sum)
      assert(files(directory) === Vector("kept"))
    }
  }

  test("a storage that checks first and writes later is unsafe, and keeps no file of the trial") {
    within { (directory, _) =>
      val verdict = quick.of(directory.toString, path => broken(path, "create"), Vector.empty, (_, _) => ())
      assert(reasons(verdict).exists(_.contains("writers created the same file")), verdict.safety)
      assert(verdict.tried.filter(_.violation.isDefined).map(_.name) === Vector("create"))
      assert(files(directory) === Vector.empty)
    }
  }

  test("a storage without the right to delete is unsafe, and the verdict names the directory") {
    within { (directory, _) =>
      val verdict =
        quick.of(directory.toString, path => broken(path, "delete: denied"), Vector.empty, (_, _) => ())
      assert(reasons(verdict).exists(_.contains("Access Denied")), verdict.safety)
      assert(verdict.left.exists(_.startsWith(s"$directory/_stoplog/doctor-")))
      assert(reasons(verdict).last.contains(verdict.left.get))
    }
  }

  test("a storage that hangs is unsafe, and the trial ends") {
    within { (directory, _) =>
      val hangs = new StoreQualification(Clock.system, limitMillis = 10, patienceMillis = 10)
      val found = hangs.of(
        directory.toString,
        path => new BrokenStorage(local(path), "mark", 300),
        Vector.empty,
        (_, _) => ()
      )
      assert(reasons(found).exists(_.contains("requests did not end")), found.safety)
    }
  }

  for (broken <- Vector("create", "publish", "delete"))
    test(s"jars of different versions are no verdict on the storage: $broken") {
      within { (directory, _) =>
        val refused = intercept[SparkThrowable] {
          quick.of(directory.toString, misfit(_, broken), Vector.empty, (_, _) => ())
        }
        assert(refused.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
        assert(refused.getMessageParameters.get("why").contains("different versions"))
        assert(files(directory) === Vector.empty)
      }
    }

  test("the progress never announces more races than the time allows") {
    within { (directory, _) =>
      val totals = new ConcurrentLinkedQueue[(Int, Int)]
      val slow   = new StoreQualification(Clock.system, limitMillis = 100, patienceMillis = 20000)
      slow.of(directory.toString, local, Vector.empty, (done, total) => totals.add((done, total)): Unit)
      assert(totals.asScala.forall { case (done, total) => done <= total && total < 1000 }, totals)
    }
  }

  test("a file system that cannot append is safe with settings") {
    val verdict = within { (directory, _) =>
      quick.of(directory.toString, createOnly(_), Vector.empty, (_, _) => ())
    }
    verdict.safety match {
      case Safety.SafeWith(settings) => assert(settings.head.contains("trigger interval"))
      case other                     => fail(s"$other: ${verdict.tried}")
    }
  }

  test("a file system on which the last writer wins is unsafe") {
    val verdict = quick.of(TestFileSystems.directory("lastwins"), weak, (_, _) => ())
    assert(reasons(verdict).exists(_.contains("lastwins")), verdict.safety)
  }

  test("a directory that does not exist is rejected and not created") {
    within { (directory, _) =>
      val mistyped = directory.resolve("evnts")
      val refused  =
        intercept[SparkThrowable](quick.of(mistyped.toString, local, Vector.empty, (_, _) => ()))
      assert(refused.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
      assert(!Files.exists(mistyped))
    }
  }

  /** A storage whose client throws an error of the Java machine, as a wrapped cause in some calls. */
  private def misfit(path: String, call: String): Storage =
    new BrokenStorage(local(path), s"$call: misfit", windowMillis = 0)

  private def createOnly(path: String): Storage =
    new BrokenStorage(local(path), breaks = "nothing", windowMillis = 0) {
      override def growth(sinkId: String): Growth = Growth.CreateOnly
    }

  private def weak = TestFileSystems.register(HadoopDefaults.configuration())

  private def quick = new StoreQualification(Clock.system, limitMillis = 2000, patienceMillis = 20000)

  private def broken(path: String, breach: String): Storage =
    new BrokenStorage(local(path), breach, StoreRacesSuite.WindowMillis)

  private def reasons(verdict: StoreVerdict): Vector[String] = verdict.safety match {
    case Safety.Unsafe(reasons) => reasons
    case _                      => Vector.empty
  }

  private def files(directory: Path): Vector[String] =
    Using.resource(Files.walk(directory))(
      _.iterator.asScala.filter(_ != directory).map(directory.relativize(_).toString).toVector.sorted
    )
}
