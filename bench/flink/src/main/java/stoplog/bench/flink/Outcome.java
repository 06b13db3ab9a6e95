// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.flink;

import java.util.List;

/**
 * What a job took.
 *
 * @param millis from its submission until it had ended, and so all its files were visible
 * @param commitMillis of each checkpoint, from its trigger until all tasks had acknowledged it
 */
record Outcome(long millis, List<Long> commitMillis) {}
