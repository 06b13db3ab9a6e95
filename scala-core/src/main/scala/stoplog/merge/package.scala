// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The batch command that compacts small files under a path, and the Spark job of one compaction. */
package object merge
