// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.flink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.runtime.checkpoint.AbstractCheckpointStats;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job manager and one task manager of two slots in this JVM. */
final class Cluster {
    private static final int SLOTS = 2;

    private final MiniCluster cluster;

    private Cluster(MiniCluster cluster) {
        this.cluster = cluster;
    }

    static Cluster start(String[] settings) throws Exception {
        Configuration configuration = new Configuration();
        for (String setting : settings) {
            String[] pair = setting.split("=", 2);
            configuration.setString(pair[0], pair[1]);
        }
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(WebOptions.CHECKPOINTS_HISTORY_SIZE, 10_000);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(16)); // no operator uses it
        FileSystem.initialize(configuration, PluginUtils.createPluginManagerFromRootFolder(configuration));
        MiniCluster cluster = new MiniCluster(
                new MiniClusterConfiguration.Builder()
                        .setConfiguration(configuration)
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(SLOTS)
                        .build());
        cluster.start();
        return new Cluster(cluster);
    }

    Outcome run(Job job) throws Exception {
        JobGraph graph = environment(job).getStreamGraph().getJobGraph();
        long begun = System.nanoTime();
        cluster.executeJobBlocking(graph);
        long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        return new Outcome(millis, checkpointMillis(graph));
    }

    void stop() throws Exception {
        cluster.close();
    }

    private StreamExecutionEnvironment environment(Job job) {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, Path.of(job.checkpoints()).toUri().toString());
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(SLOTS);
        environment.enableCheckpointing(job.intervalMillis(), CheckpointingMode.EXACTLY_ONCE);
        environment.getConfig().enableObjectReuse();
        Rows.to(job, environment);
        return environment;
    }

    private List<Long> checkpointMillis(JobGraph graph) throws Exception {
        return cluster.getExecutionGraph(graph.getJobID()).get().getCheckpointStatsSnapshot().getHistory()
                .getCheckpoints().stream()
                .filter(CompletedCheckpointStats.class::isInstance)
                .map(AbstractCheckpointStats::getEndToEndDuration)
                .toList();
    }
}
