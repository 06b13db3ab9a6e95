// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

/* S3, and stores with multipart uploads and conditional writes. A part is an upload; a token in the log
 * describes its complete state.
 */
