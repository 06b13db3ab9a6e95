// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The batch command that merges small files under a path, and the Spark job that carries out one merge.
  */
package object merge
