// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.io.{BufferedReader, InputStreamReader, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

/** A server over a directory, in a process of its own that ends with this one, however this one ends.
  *
  * @param name of its class path in `build/servers`, which the build writes
  * @param mainClass answers with its address as soon as it is up
  */
final class ServerProcess private (name: String, mainClass: String, directory: Path) {
  private val process = new ProcessBuilder(
    (Seq(
      Paths.get(System.getProperty("java.home"), "bin", "java").toString,
      "-Xmx384m",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      // A server's many classes are those of its release: not to verify them saves a sixth of its start.
      "-XX:+UnlockDiagnosticVMOptions",
      "-XX:-BytecodeVerificationRemote",
      s"-Djava.io.tmpdir=${System.getProperty("java.io.tmpdir")}"
    ) ++ options ++ Seq("-cp", Files.readString(built("classpath")), mainClass, directory.toString)).asJava
  ).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile)).start()

  private val commands = new PrintStream(process.getOutputStream, true, UTF_8)
  private val answers  = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))

  /** As a client names it. */
  val address: String = answer()

  /** What the server answers to a command, if it takes any. */
  def ask(command: String): String = synchronized {
    commands.println(command)
    answer()
  }

  /** As `kill -9`; returns when it has ended. */
  def kill(): Unit = {
    process.destroyForcibly().waitFor()
    ()
  }

  private def answer(): String = Iterator
    .continually(answers.readLine())
    .takeWhile(_ != null)
    .collectFirst { case line if line.startsWith(ServerProcess.Mark) => line.drop(ServerProcess.Mark.length) }
    .getOrElse(throw new AssertionError(s"$name ended with ${process.waitFor()}: ${Files.readString(log)}"))

  // Of its JVM, where it needs some of its own.
  private def options: Seq[String] =
    Option(built("options")).filter(Files.exists(_)).map(file => s"@$file").toSeq

  private def built(kind: String): Path = Paths.get(System.getProperty("stoplog.servers"), s"$name.$kind")

  private def log: Path = directory.resolve("log")
}

object ServerProcess {

  /** Returns when it is up. */
  def start(name: String, mainClass: String, directory: Path): ServerProcess =
    new ServerProcess(name, mainClass, directory)

  private val Mark = "answer: "
}
