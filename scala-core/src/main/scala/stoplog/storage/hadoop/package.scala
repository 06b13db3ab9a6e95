// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

/* Any file system supported by Hadoop, depending on the capabilities that a trial detects. HDFS and S3 use
 * `HadoopFiles`, too.
 */
