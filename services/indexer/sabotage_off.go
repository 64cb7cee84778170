//go:build !sabotage

package indexer

// skipDelete is switched on only in builds that prove that the checks catch
// it (make sabotage).
const skipDelete = false
