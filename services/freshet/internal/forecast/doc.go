// Package forecast tells what indexing a folder or repository will come to,
// before it is begun. It reads with the watcher's eyes and cuts with the
// chunker's knife, and changes nothing.
package forecast
