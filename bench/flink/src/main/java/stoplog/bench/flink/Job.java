// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.flink;

import java.util.Locale;

/**
 * One job: the numbers from 0 on as rows, to files.
 *
 * @param kind the format of the files
 * @param rows of each commit; with {@link Pace#FREE} only their product with {@code commits} counts
 * @param commits how many; a job that is not paced makes as many as its time lets it
 * @param intervalMillis between two checkpoints
 * @param out the directory of the files: a path, or a URL
 * @param checkpoints the local directory of the checkpoints
 */
record Job(Kind kind, long rows, int commits, long intervalMillis, Pace pace, String out, String checkpoints) {

    enum Kind {
        TEXT,
        PARQUET;

        /** Behind the name of the engine: {@code Flink-text}. */
        static Kind of(String contender) {
            return valueOf(contender.substring(contender.indexOf('-') + 1).toUpperCase(Locale.ROOT));
        }
    }

    enum Pace {
        /** So many rows after each checkpoint, and then none until the next. */
        PACED,
        /** As fast as it goes. */
        FREE
    }

    static Job parse(String line) {
        String[] words = line.split(" ");
        return new Job(
                Kind.of(words[0]),
                Long.parseLong(words[1]),
                Integer.parseInt(words[2]),
                Long.parseLong(words[3]),
                Pace.valueOf(words[4]),
                words[5],
                words[6]);
    }

    long allRows() {
        return rows * commits;
    }
}
