package watcher_test

import (
	"context"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/watcher"
)

// BenchmarkGoSource loads Go's own source into a new log, and compares it once
// more with nothing changed.
func BenchmarkGoSource(b *testing.B) {
	root := goSource(b)
	for b.Loop() {
		b.StopTimer()
		log := bustest.New(b)
		svc, err := watcher.New(watcher.Config{}, log, slog.New(slog.DiscardHandler))
		must(b, err)
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() { done <- svc.Run(ctx) }()
		for {
			if _, err := bus.Call[struct{}, contract.SourceList](ctx, log.Conn(), contract.SubjectSourcesList, struct{}{}); err == nil {
				break
			}
		}
		b.StartTimer()
		l, err := bus.Call[contract.SourceAdd, contract.SourceList](ctx, log.Conn(), contract.SubjectSourcesAdd, contract.SourceAdd{Root: root})
		must(b, err)
		loaded := b.Elapsed()
		_, err = bus.Call[contract.Announce, contract.AnnounceReply](ctx, log.Conn(), contract.SubjectAnnounce, contract.Announce{Paths: []string{root}})
		must(b, err)
		b.ReportMetric((b.Elapsed() - loaded).Seconds(), "s/rescan")
		b.ReportMetric(loaded.Seconds(), "s/load")
		b.ReportMetric(float64(l.Sources[0].Documents), "documents")
		b.ReportMetric(float64(l.Sources[0].Bytes)/1e6, "MB")
		b.StopTimer()
		cancel()
		must(b, <-done)
		b.StartTimer()
	}
}

// goSource returns the folder of Go's own source.
func goSource(b *testing.B) string {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	must(b, err)
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}
