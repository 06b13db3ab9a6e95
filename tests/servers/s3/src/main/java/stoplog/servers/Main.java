// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

/** The main method of a server whose jar is there at run time only. */
final class Main {
  private Main() {}

  static void run(String name, String... args) throws Exception {
    Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) args);
  }
}
