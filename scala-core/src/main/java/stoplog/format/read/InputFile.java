// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read;

import org.apache.spark.rdd.InputFileBlockHolder;

/**
 * What {@code input_file_name()} and its siblings answer in the task of this thread. In Java, because Spark keeps its
 * holder from Scala code outside of Spark, though not from the JVM.
 */
public final class InputFile {
  private InputFile() {}

  /** The file, or piece of one, that the next row is from. */
  public static void is(String uri, long from, long length) {
    InputFileBlockHolder.set(uri, from, length);
  }

  /** There is no further row. */
  public static void over() {
    InputFileBlockHolder.unset();
  }
}
