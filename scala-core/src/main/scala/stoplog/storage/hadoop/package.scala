// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

/* Any file system that Hadoop knows, by the capabilities that a trial finds. HDFS and S3 build upon its `HadoopFiles`. */
