// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.io.PrintStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

/** The tools for the command line: reads one JSON object from standard input, prints one to standard output.
  *
  * Exit status: 0 when what was asked for was done, or planned; 1 when it was not, and the answer has an `error`. What
  * else is said on the way goes to standard error.
  */
object Main {
  def main(arguments: Array[String]): Unit = {
    val answers = new PrintStream(System.out, true, UTF_8) // whatever the locale
    System.setOut(System.err) // logging without a configuration goes there
    sys.exit(run(new String(System.in.readAllBytes(), UTF_8), answers))
  }

  private[admin] def run(json: String, answers: PrintStream): Int =
    try {
      val request = Request.read(json)
      val plan    = request.plan()
      request.carryOut.foreach(plan.carryOut)
      val outcome = if (request.carryOut.isEmpty) Answer.Outcome.Planned else Answer.Outcome.CarriedOut
      answers.println(Answer.of(request, plan, outcome))
      0
    } catch {
      case NonFatal(e) =>
        answers.println(Answer.of(e))
        1
    }
}
