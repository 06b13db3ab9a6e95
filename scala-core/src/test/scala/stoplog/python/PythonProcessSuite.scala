// SPDX-License-Identifier: Apache-2.0
package stoplog.python

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.util.Base64
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.SparkThrowable
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.SpanSugar._

import stoplog.error.PythonErrors.Call
import stoplog.thread.StopSignal

/** A Python process and its calls, with objects of Python's own library. */
class PythonProcessSuite extends AnyFunSuite with Eventually {
  import PythonProcessSuite._

  private implicit val patience: PatienceConfig = PatienceConfig(20.seconds, 20.millis)

  test("an object answers calls, and keeps its state") {
    started() { process =>
      val list = process.load("list", EmptyList)
      list.call("append")(7)
      list.call("append")(Map("a" -> "ü\n").asJava)
      assert(list.call("pop")().get("a").asText === "ü\n")
      assert(list.call("pop")().asInt === 7)
    }
  }

  test("an exception of user code names class, method, place and traceback") {
    started() { process =>
      val error = refused(process.load("Shop", moduleNamed("json")).call("loads", "in epoch 7")("{"))
      assert(error.getCondition === "STOPLOG_PYTHON_FAILED")
      assert(
        error.getMessage.contains("The Python method loads of Shop failed in epoch 7: JSONDecodeError: ")
      )
      assert(error.getMessage.contains("in raw_decode"), error.getMessage)
      assert(!error.getMessage.contains("in answer"), "frames of the program are of no use to users")
    }
  }

  test("the process lives on after an exception, also after the request of user code to exit") {
    started() { process =>
      val sys = process.load("sys", moduleNamed("sys"))
      assert(refused(sys.call("exit")(3)).getMessage.contains("SystemExit: 3"))
      assert(sys.call("getrecursionlimit")().asInt > 0)
    }
  }

  test("the process lives on after an exception without a text, and after a result without JSON") {
    started() { process =>
      val builtins = process.load("builtins", moduleNamed("builtins"))
      val silent   = "class Silent(Exception):\n  def __str__(self): return 5\nraise Silent()"
      val refusals = Seq(
        refused(builtins.call("exec")(silent)) -> "Silent: its __str__ raised TypeError",
        refused(builtins.call("float")("nan")) -> "ValueError"
      )
      for ((error, said) <- refusals) {
        assert(error.getCondition === "STOPLOG_PYTHON_FAILED")
        assert(error.getMessage.contains(said))
      }
      assert(builtins.call("len")("abc").asInt === 3)
    }
  }

  test("output of user code is no answer") {
    started() { process =>
      val builtins = process.load("builtins", moduleNamed("builtins"))
      builtins.call("print")("""{"answer": 1}""")
      assert(builtins.call("len")("abc").asInt === 3)
    }
  }

  test("an object that cannot be loaded is named") {
    started() { process =>
      val error = refused(process.load("Shop", moduleNamed("no_such_module")))
      assert(error.getCondition === "STOPLOG_PYTHON_LOAD")
      assert(error.getMessage.contains("cannot load Shop: ModuleNotFoundError: No module named"))
    }
  }

  test("a call that hangs is reported, and its process ends") {
    started() { process =>
      process.load("Shop", moduleNamed("time")) // the start of Python may take longer than the call
      val error = refused(process.call(on = 1, Call("Shop", "sleep"), Seq(60), millis = 500))
      assert(error.getCondition === "STOPLOG_PYTHON_TIMEOUT")
      assert(error.getMessage.contains("The Python method sleep of Shop did not return"))
      eventually(assert(!process.isAlive))
    }
  }

  test("a stop ends a call, and its process") {
    started() { process =>
      val time    = process.load("time", moduleNamed("time"))
      val stopped = new StopSignal { override def isStopped: Boolean = true }
      StopSignal.during(stopped)(intercept[InterruptedException](time.call("sleep")(60)))
    }
  }

  test("an interrupt ends a call, and its process") {
    started() { process =>
      val time   = process.load("time", moduleNamed("time"))
      val thread = new Thread(() => intercept[InterruptedException](time.call("sleep")(60)): Unit)
      thread.start()
      eventually(assert(thread.getState === Thread.State.TIMED_WAITING)) // waits for the answer
      thread.interrupt()
      thread.join(TimeUnit.SECONDS.toMillis(20))
      assert(!thread.isAlive && !process.isAlive)
    }
  }

  test("the end of a process within a call is reported with its status") {
    started() { process =>
      val error = refused(process.load("os", moduleNamed("os")).call("_exit")(7))
      assert(error.getCondition === "STOPLOG_PYTHON_ENDED")
      assert(error.getMessage.contains("status 7"))
    }
  }

  test("a living child of user code does not delay the report of an ended process") {
    started() { process =>
      val builtins = process.load("builtins", moduleNamed("builtins"))
      val forked   = "__import__('os').fork() or (__import__('time').sleep(600), __import__('os')._exit(0))"
      val child    = ProcessHandle.of(builtins.call("eval")(forked).asLong).get
      try {
        val error = refused(process.load("os", moduleNamed("os")).call("_exit")(7))
        assert(error.getCondition === "STOPLOG_PYTHON_ENDED")
        assert(child.isAlive)
      } finally child.destroyForcibly(): Unit
    }
  }

  test("a forked child replies to no call") {
    started() { process =>
      val builtins = process.load("builtins", moduleNamed("builtins"))
      val child    = builtins.call("eval")("__import__('os').fork()").asLong
      assert(child > 0)
      for (number <- 1 to 3) assert(builtins.call("abs")(-number).asInt === number)
    }
  }

  test("the end of the process closes its objects") {
    val path = Files.createTempFile("closed", "")
    started()(
      _.load("file", pickle(s"cfunctools\npartial\n(cio\nopen\nS'$path'\nS'w'\ntR.")).call("write")("x"): Unit
    )
    assert(Files.readString(path) === "x")
  }

  test("the children of user code end with the process") {
    started() { process =>
      val child = process.load("subprocess", partial("subprocess", "Popen", Seq("sleep", "600")))
      val pid   = child.call("__getattribute__")("pid").asLong
      def found = ProcessHandle.of(pid).map[Boolean](_.isAlive).orElse(false)
      assert(found)
      process.close()
      eventually(assert(!found))
    }
  }

  test("calls of several threads do not mix") {
    started() { process =>
      val builtins = process.load("builtins", moduleNamed("builtins"))
      val found    = stoplog.thread.Parallel.bounded(8).map(1 to 200)(n => builtins.call("abs")(-n).asInt)
      assert(found === (1 to 200))
    }
  }

  test("another version of Python than that of the pickle is refused first") {
    val process = PythonProcess.start(PythonCommand(Python, Nil, Some("2.7"), 60000))
    val error   = refused(process.load("list", EmptyList))
    assert(error.getCondition === "STOPLOG_PYTHON_START")
    assert(error.getMessage.contains("pickled by Python 2.7"))
    eventually(assert(!process.isAlive))
  }

  test("a Python that cannot be started is named, and so is a program that is no Python") {
    val missing = refused(PythonProcess.start(PythonCommand("/no/such/python", Nil, None, 60000)))
    assert(missing.getCondition === "STOPLOG_PYTHON_START")
    val echo = PythonProcess.start(PythonCommand("/bin/echo", Nil, None, 60000))
    assert(refused(echo.load("list", EmptyList)).getMessage.contains("printed '-u -c"))
    val none = PythonProcess.start(PythonCommand("/bin/false", Nil, None, 60000))
    assert(refused(none.load("list", EmptyList)).getMessage.contains("ended with status 1"))
  }

  test("users share a process, and the last user ends it") {
    val shared = new SharedPython(() => PythonProcess.start(PythonCommand(Python, Nil, None, 60000)), 600000)
    shared.warm()
    shared.enter()
    val process = shared.process()
    shared.leave(SharedPython.Leaving.Keep)
    assert(process.isAlive)
    shared.enter()
    assert(shared.process() eq process)
    shared.leave(SharedPython.Leaving.End)
    assert(!process.isAlive)
  }

  test("a process without users ends by itself, and a user gets another in place of one that has ended") {
    val shared = new SharedPython(() => PythonProcess.start(PythonCommand(Python, Nil, None, 60000)), 1)
    shared.enter()
    val first = shared.process()
    first.close()
    val second = shared.process()
    assert(second.isAlive)
    shared.leave(SharedPython.Leaving.Keep)
    eventually(assert(!second.isAlive))
  }

  test("tasks share a process of the pool, which forgets objects whose process has ended") {
    def borrow() = PythonPool.borrow("os", moduleNamed("os"), PythonCommand(Python, Nil, None, 60000))
    val before   = PythonPool.size
    val first    = borrow()
    val id       = first.call("getpid", "")().asInt
    first.close()
    assert(PythonPool.size === before + 1)
    val second = borrow()
    assert(second.call("getpid", "")().asInt === id)
    assert(refused(second.call("_exit", "in epoch 7")(0)).getCondition === "STOPLOG_PYTHON_ENDED")
    second.close()
    assert(PythonPool.size === before)
  }

  test("an object is loaded again after the end of its process, and the end ends its process") {
    val user = OwnPython.alone("signal", moduleNamed("signal"), PythonCommand(Python, Nil, None, 60000))
    assert(user.call("alarm")(0).asInt === 0)
    assert(refused(user.call("raise_signal")(9)).getCondition === "STOPLOG_PYTHON_ENDED")
    eventually(assert(!user.isAlive))
    assert(user.call("alarm")(0).asInt === 0)
    assert(user.isAlive)
    user.close()
    assert(!user.isAlive)
  }
}

private object PythonProcessSuite {
  private val Python = "python3"

  /** Pickles of the text protocol, as Python's manual shows them. */
  private val EmptyList = pickle("cbuiltins\nlist\n.")

  /** A function that returns a module. */
  private def moduleNamed(name: String): String =
    pickle(s"cfunctools\npartial\n(cimportlib\nimport_module\nS'$name'\ntR.")

  /** A function that calls another function with a list of texts. */
  private def partial(module: String, name: String, texts: Seq[String]): String =
    pickle(s"cfunctools\npartial\n(c$module\n$name\n(${texts.map(text => s"S'$text'\n").mkString}ltR.")

  private def pickle(text: String): String = Base64.getEncoder.encodeToString(text.getBytes(UTF_8))

  private def started()(test: PythonProcess => Any): Unit =
    Using.resource(PythonProcess.start(PythonCommand(Python, Nil, None, timeoutMillis = 60000)))(test): Unit

  private def refused(action: => Any): Throwable with SparkThrowable =
    try {
      action
      throw new AssertionError("no error")
    } catch { case error: Throwable with SparkThrowable => error }
}
