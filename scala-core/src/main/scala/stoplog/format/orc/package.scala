// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** ORC by Spark's serializer and orc-core's writers; a block is a stripe. Uses [[stoplog.format.bulk]]. */
package object orc
