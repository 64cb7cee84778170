//go:build !sabotage

package resolve

// skipResolve is switched on only in builds that prove that the checks catch
// it (make sabotage).
const skipResolve = false

// skipUnseen is another such switch.
const skipUnseen = false
