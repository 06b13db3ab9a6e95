// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.OptionGroup.Complete

/** The options of complete buckets and manifests, as entries of the [[SinkOptionRegistry]]. */
object CompleteRegistry extends OptionForms {

  val BucketComplete: SinkOption = withDefault(
    Complete,
    "bucketComplete",
    "`none`, `watermark`, `processingTime` or `idle`",
    "none",
    "When a bucket counts as complete, and gets a marker file. `watermark`: when the query's watermark has reached its " +
      "end, which needs `withWatermark` and a bucket that takes its time from a column. `processingTime`: when the " +
      "driver's clock has. `idle`: when no row came to it for `bucketCompleteDelay`. A batch write marks its buckets at " +
      "its end, whichever it is.",
    "watermark"
  )

  val BucketCompleteDelay: SinkOption = option(
    Complete,
    "bucketCompleteDelay",
    "time",
    "`0s`; with `idle` it is required",
    "How long after its end a bucket is still waited for; with `idle`, how long after its last row.",
    "10m"
  )

  val BucketMarker: SinkOption = withDefault(
    Complete,
    "bucketMarker",
    "`json` or `empty`",
    "json",
    "What is in the marker `_SUCCESS` of a complete bucket: the number of its files, rows and bytes, and a version; or " +
      "nothing. When rows come late, `_SUCCESS.2` follows, and so on: no marker is ever overwritten.",
    "empty"
  )

  val BucketListener: SinkOption = option(
    Complete,
    "bucketListener",
    "class name",
    "none",
    "Is told of each marker, at least once, such as to add a partition to a catalog: the name of a class that extends " +
      "`stoplog.bucket.BucketListener` and has a public constructor without arguments, or of a Scala object.",
    "com.example.AddPartition"
  )

  val Manifest: SinkOption = withDefault(
    Complete,
    "manifest",
    "`none` or `json`",
    "none",
    "`json` lists the files that each commit makes visible, with rows, bytes, and the earliest and latest time of " +
      "`bucketColumn`, in `_stoplog/<sinkId>/manifests`.",
    "json"
  )

  val ManifestRetention: SinkOption = option(
    Complete,
    "manifestRetention",
    "time",
    "they are kept",
    "Manifests older than this are removed, once an hour.",
    "30d"
  )

  val all: Seq[SinkOption] =
    Seq(BucketComplete, BucketCompleteDelay, BucketMarker, BucketListener, Manifest, ManifestRetention)
}
