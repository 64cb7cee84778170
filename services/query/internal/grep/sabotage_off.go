//go:build !sabotage

package grep

// skipLookAgain is switched on only in builds that prove that the checks catch
// it (make sabotage).
const skipLookAgain = false

func dawdle() {}
