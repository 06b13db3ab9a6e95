// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Upserts of a task's rows, and the timestamps of epochs that make the upserts idempotent. */
package object write
