// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.flink;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Runs jobs that it is told on standard input, one a line, in one cluster that stays up:
 * {@code CONTENDER ROWS COMMITS INTERVAL_MILLIS PACE OUT CHECKPOINTS}. Each is answered by one line of JSON behind
 * {@code answer: }. Arguments are settings of the cluster, {@code key=value} each.
 */
public final class Main {

    private Main() {}

    public static void main(String[] settings) throws Exception {
        Cluster cluster = Cluster.start(settings);
        answer("{}");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answer(json(cluster.run(Job.parse(line))));
        }
        cluster.stop();
        System.exit(0); // clients of S3 keep threads for a while
    }

    private static String json(Outcome outcome) {
        String millis = outcome.commitMillis().stream().map(String::valueOf).collect(Collectors.joining(","));
        return String.format(
                Locale.ROOT, "{\"seconds\":%.3f,\"commit_millis\":[%s]}", outcome.millis() / 1000.0, millis);
    }

    private static void answer(String json) {
        System.out.println("answer: " + json);
        System.out.flush();
    }
}
