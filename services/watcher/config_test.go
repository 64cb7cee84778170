package watcher_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

// The ticker of a comparison every 0 s panics, and long after the start.
func TestConfigurationThatWasMadeInCode_IsChecked(t *testing.T) {
	cfg := watching()
	cfg.Rescan = 0
	_, err := watcher.New(cfg, nil, nil)
	if document.KindOf(err) != document.InvalidRequest || !strings.HasPrefix(err.Error(), "watcher.rescan is 0s: use ") {
		t.Errorf("got %v", err)
	}
}
