// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The process that started this one: it gets one line when the server is up, and one for each command that it writes to
 * the standard input. The server ends with that, be it because the starter was killed.
 */
final class Starter {
  // What logs write to the standard output would fill a pipe that no reader empties.
  private static final PrintStream ANSWERS = System.out;

  private Starter() {}

  /** What a server does for its starter. */
  interface Commands {
    /** The answer, one line. */
    String answer(String command) throws Exception;
  }

  /** From now on only answers go to the standard output. */
  static void begin() {
    System.setOut(System.err);
  }

  /** For a server that knows no commands: ends this process as soon as the standard input does. */
  static void follow() {
    begin();
    Thread thread = new Thread(Starter::endWithInput, "starter");
    thread.setDaemon(true);
    thread.start();
  }

  static void answer(String text) {
    ANSWERS.println("answer: " + text);
    ANSWERS.flush();
  }

  /**
   * Answers commands until there is {@code stop}, or no input, or one fails. What is over then is this process too,
   * whatever threads of the server are left: a starter must not wait for an answer for ever.
   */
  static void obey(Commands commands, Runnable stop) {
    int status = 1;
    try {
      BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = lines.readLine(); line != null && !line.equals("stop"); line = lines.readLine()) {
        answer(commands.answer(line));
      }
      status = 0;
    } catch (Throwable e) {
      e.printStackTrace();
    }
    try {
      stop.run();
    } finally {
      Runtime.getRuntime().halt(status);
    }
  }

  private static void endWithInput() {
    try {
      while (System.in.read() >= 0) {}
    } catch (IOException e) {
      // as its end
    }
    Runtime.getRuntime().halt(0);
  }
}
