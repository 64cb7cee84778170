package query

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

func TestServiceWithoutAStore_IsRefused(t *testing.T) {
	b := bustest.New(t)
	for name, stores := range map[string]map[document.Generation]store.Sinks{
		"none": nil, "no sinks": {"code-1": {}}, "no collection": {"code": {}},
	} {
		if _, err := New(testConfig(), Deps{Bus: b, Stores: stores}); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}
