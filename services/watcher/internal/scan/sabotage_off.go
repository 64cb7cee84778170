//go:build !sabotage

package scan

// relyOnTimes takes a file of the same size, time and inode for unchanged.
// Only a build with the tag sabotage can do so, which tests that somebody
// would notice (make sabotage).
const relyOnTimes = false
