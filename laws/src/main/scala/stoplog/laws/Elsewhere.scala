// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.{BufferedReader, InputStreamReader, ObjectInputStream, ObjectOutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

/** Runs a task in another JVM. Only another JVM proves that no state depends on the memory of this JVM. */
object Elsewhere {

  /** The work of the other JVM. The result is returned as a line of text. */
  trait Task extends Serializable {
    def run(): String

    /** Called after the result was sent; the process ends when this method returns. */
    def afterwards(): Unit = ()
  }

  /** Returns the result of a task that ends by itself. */
  def answerOf(task: Task): String = {
    val process = start(task)
    try process.answer
    finally process.kill()
  }

  def start(task: Task): Running = {
    val file = Files.createTempFile("stoplog-elsewhere", ".task")
    val out  = new ObjectOutputStream(Files.newOutputStream(file))
    try out.writeObject(task)
    finally out.close()
    val java    = Paths.get(System.getProperty("java.home"), "bin", "java").toString
    val process = new ProcessBuilder(
      java,
      "-cp",
      System.getProperty("java.class.path"),
      "-Xmx128m",
      // in the same file system as the files of this process
      s"-Djava.io.tmpdir=${System.getProperty("java.io.tmpdir")}",
      "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC",
      // A process of about a second need not verify classes that this JVM has already loaded.
      "-XX:+UnlockDiagnosticVMOptions",
      "-XX:-BytecodeVerificationRemote",
      "stoplog.laws.ElsewhereMain",
      file.toString
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    new Running(process, file)
  }

  /** A task in a separate process. */
  final class Running private[Elsewhere] (process: Process, file: Path) {
    private val lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))

    /** Waits for the result. Fails if the process ends without a result. */
    lazy val answer: String = Iterator
      .continually(lines.readLine())
      .takeWhile(_ != null)
      .collectFirst { case line if line.startsWith(Mark) => line.drop(Mark.length) }
      .getOrElse(throw new AssertionError(s"the other JVM ended with ${process.waitFor()} and no answer"))

    /** Kills the process like `kill -9`; returns after the end of the process. */
    def kill(): Unit = {
      process.destroyForcibly().waitFor()
      Files.deleteIfExists(file)
      ()
    }
  }

  private[laws] val Mark = "answer: "
}

/** The main class of the other JVM. */
private object ElsewhereMain {
  def main(args: Array[String]): Unit = {
    val in   = new ObjectInputStream(Files.newInputStream(Paths.get(args(0))))
    val task = in.readObject().asInstanceOf[Elsewhere.Task]
    println(Elsewhere.Mark + task.run())
    System.out.flush()
    task.afterwards()
  }
}
