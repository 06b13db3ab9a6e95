// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** ORC, by Spark's serializer and orc-core's writers: a block is a stripe. The package knows [[stoplog.format.bulk]] alone. */
package object orc
