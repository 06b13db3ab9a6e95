// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** Parquet, by Spark's write support and parquet-hadoop's writers: a block is a row group. The package
  * depends only on [[stoplog.format.bulk]].
  */
package object parquet
