// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.flink;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.formats.parquet.row.ParquetRowDataBuilder;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.DefaultRollingPolicy;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.hadoop.conf.Configuration;

/** The same rows as those of the programs for Spark: a line of 100 bytes, its line feed counted, for each number. */
final class Rows {
    private static final String FILLER = "-".repeat(88);
    private static final long FIRST = 10_000_000_000L;
    private static final long MAX_PART_MEBIBYTES = 128;

    private Rows() {}

    static void to(Job job, StreamExecutionEnvironment environment) {
        DataStream<Long> numbers = numbers(job, environment);
        switch (job.kind()) {
            case TEXT -> numbers.map(Rows::line).returns(Types.STRING).sinkTo(text(new Path(job.out())));
            case PARQUET ->
                numbers.map(Rows::row).returns(TypeInformation.of(RowData.class)).sinkTo(parquet(new Path(job.out())));
        }
    }

    private static DataStream<Long> numbers(Job job, StreamExecutionEnvironment environment) {
        WatermarkStrategy<Long> none = WatermarkStrategy.noWatermarks();
        return switch (job.pace()) {
            // The generator asks its limiter for each row, which costs more than some sinks do.
            case FREE -> environment.fromSource(new NumberSequenceSource(0, job.allRows() - 1), none, "rows");
            case PACED ->
                environment.fromSource(
                        new DataGeneratorSource<>(
                                number -> number,
                                job.allRows(),
                                RateLimiterStrategy.perCheckpoint(Math.toIntExact(job.rows())),
                                Types.LONG),
                        none,
                        "rows");
        };
    }

    private static String line(long number) {
        return FILLER + (FIRST + number);
    }

    private static RowData row(long number) {
        return GenericRowData.of(number, StringData.fromString(line(number)));
    }

    private static FileSink<String> text(Path out) {
        return FileSink.forRowFormat(out, new SimpleStringEncoder<String>())
                .withBucketAssigner(new BasePathBucketAssigner<>())
                .withRollingPolicy(
                        DefaultRollingPolicy.builder()
                                .withMaxPartSize(MemorySize.ofMebiBytes(MAX_PART_MEBIBYTES))
                                .withRolloverInterval(Duration.ofHours(1))
                                .withInactivityInterval(Duration.ofHours(1))
                                .build())
                .build();
    }

    private static FileSink<RowData> parquet(Path out) {
        RowType type = RowType.of(
                new LogicalType[] {new BigIntType(false), new VarCharType(false, VarCharType.MAX_LENGTH)},
                new String[] {"id", "line"});
        return FileSink.forBulkFormat(out, ParquetRowDataBuilder.createWriterFactory(type, new Configuration(), true))
                .withBucketAssigner(new BasePathBucketAssigner<>())
                .build();
    }
}
