//go:build !unix

package githook

import "io/fs"

// groupOf knows no groups here.
func groupOf(fs.FileInfo) (gid int, ok bool) { return 0, false }
