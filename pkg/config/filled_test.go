package config_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestSettingLeftOutInCode_IsRefusedWithItsDefault(t *testing.T) {
	w := config.Default().Watcher
	if err := config.Filled("watcher", w); err != nil {
		t.Errorf("the default: %v", err)
	}
	w.Rescan, w.Git, w.MaxWatches = 0, "", 0
	err := config.Filled("watcher", w)
	if document.KindOf(err) != document.InvalidRequest {
		t.Fatalf("got %v", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "watcher.rescan is 0s: use ") || !strings.HasPrefix(lines[1], `watcher.git is "": use `) {
		t.Errorf("%q", lines)
	}
	q := config.Default().Query
	q.Rerank.Batch = -1
	if err := config.Filled("query", q); err == nil || !strings.HasPrefix(err.Error(), "query.rerank.batch is -1: use ") {
		t.Errorf("of a part of a section: %v", err)
	}
}
