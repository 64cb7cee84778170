//go:build !sabotage

package query

// skipBarrier is switched on only in builds that prove that the checks catch
// it (make sabotage).
const skipBarrier = false
