// Package segment is the machinery that the embedded stores share: rows with
// their ids and attributes in immutable segments, deletion bitmaps, merging,
// visibility, snapshots and the lock of a store's directory. What a row holds
// beside its attributes (tokens, a vector) is up to a [Layout].
//
// # How it works
//
// Applied rows gather in a tail. Refresh seals the tail into an immutable
// segment and publishes a new [View]; searches read the view that they
// started with and take no lock. A deletion sets a bit beside the segment.
// Segments of about the same size are merged, so that their number grows with
// the logarithm of the rows; a segment of which a third is deleted is written
// anew, and more of them while a fifth of all rows is. Everything a Refresh does is bound by the size of the batches since
// the last one, plus, once per several small batches, their merge.
//
// # On disk
//
// A segment is one block of bytes, the same in memory and in its file, and a
// file is written once. The manifest names the files with their checksums,
// the deleted rows, the identity and the position. A snapshot writes the
// files that are new, then the manifest by temp file, fsync and rename, so
// that a crash leaves the previous snapshot or this one.
package segment
