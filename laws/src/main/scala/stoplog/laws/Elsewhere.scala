// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.{BufferedReader, InputStreamReader, ObjectInputStream, ObjectOutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

/** Runs a task in another JVM: the only honest way to show that nothing depends on this one's memory. */
object Elsewhere {

  /** The work there. The answer comes back as one line of text. */
  trait Task extends Serializable {
    def run(): String

    /** Called after the answer was sent; the process ends when this returns. */
    def afterwards(): Unit = ()
  }

  /** The answer of a task that ends by itself. */
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
      s"-Djava.io.tmpdir=${System.getProperty("java.io.tmpdir")}", // on one file system with this process's files
      "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC",
      // It lives for a second, and has no time to verify classes that this JVM has loaded too.
      "-XX:+UnlockDiagnosticVMOptions",
      "-XX:-BytecodeVerificationRemote",
      "stoplog.laws.ElsewhereMain",
      file.toString
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    new Running(process, file)
  }

  /** A task in its own process. */
  final class Running private[Elsewhere] (process: Process, file: Path) {
    private val lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))

    /** Waits for the answer. Fails when the process ends without one. */
    lazy val answer: String = Iterator
      .continually(lines.readLine())
      .takeWhile(_ != null)
      .collectFirst { case line if line.startsWith(Mark) => line.drop(Mark.length) }
      .getOrElse(throw new AssertionError(s"the other JVM ended with ${process.waitFor()} and no answer"))

    /** As `kill -9` does; returns once the process is gone. */
    def kill(): Unit = {
      process.destroyForcibly().waitFor()
      Files.deleteIfExists(file)
      ()
    }
  }

  private[laws] val Mark = "answer: "
}

/** The other JVM. */
private object ElsewhereMain {
  def main(args: Array[String]): Unit = {
    val in   = new ObjectInputStream(Files.newInputStream(Paths.get(args(0))))
    val task = in.readObject().asInstanceOf[Elsewhere.Task]
    println(Elsewhere.Mark + task.run())
    System.out.flush()
    task.afterwards()
  }
}
