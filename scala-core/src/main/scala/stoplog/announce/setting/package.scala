// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

/** Settings that several targets have. */
package object setting
