package render

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestLossOfEveryKind_IsNamed(t *testing.T) {
	for _, kind := range contract.LossKinds {
		one, some := LossName(contract.Loss{What: kind, Name: "that"}), LossName(contract.Loss{What: kind})
		if !strings.HasSuffix(one, " that") || strings.TrimSpace(one) == "that" || some == "" {
			t.Errorf("%s: %q, %q", kind, one, some)
		}
	}
}
