//go:build !sabotage

package trigram

// skipUnknown is switched on only in builds that prove that the checks catch
// it (make sabotage).
const skipUnknown = false
