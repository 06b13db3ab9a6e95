// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Objects of user-defined classes, created from names in options; columns, found by names of the user. */
package object util
