// SPDX-License-Identifier: Apache-2.0
package stoplog.spark;

import org.apache.spark.TaskContext;

/**
 * The output of the task of this thread, in Spark's own words. Spark asks a writer for its metrics before it lets it commit,
 * and how large files are is known behind that. In Java, because Spark keeps these setters from Scala code outside of Spark,
 * though not from the JVM.
 */
final class TaskOutput {
  private TaskOutput() {}

  static void is(long rows, long bytes) {
    TaskContext task = TaskContext.get();
    if (task != null) {
      task.taskMetrics().outputMetrics().setRecordsWritten(rows);
      task.taskMetrics().outputMetrics().setBytesWritten(bytes);
    }
  }
}
