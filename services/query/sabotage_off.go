//go:build !sabotage

package query

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// skipBarrier is switched on only in builds that prove that the checks catch
// it (make sabotage).
const skipBarrier = false

// skipLook takes what a lease holds for what stands there still.
const skipLook = false

// cutOf is the content whose passages are those of a document.
func cutOf(_ *resolve.Body, h *contract.FileHead) *contract.FileHead { return h }
