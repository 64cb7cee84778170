//go:build !sabotage

package watcher

// skipNames leaves the other names of a changed file unread.
// Only a build with the tag sabotage can do so, which tests that somebody
// would notice (make sabotage).
const skipNames = false
