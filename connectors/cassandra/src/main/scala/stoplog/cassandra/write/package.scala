// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Upserts of the rows of one task, and the times of epochs that make them idempotent. */
package object write
