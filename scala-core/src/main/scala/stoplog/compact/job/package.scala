// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

/** Compactions as Spark jobs: of the small parts of a query, and of the small files under a path by a batch
  * command.
  */
package object job
