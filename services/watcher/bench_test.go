package watcher_test

import (
	"context"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/client"
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
		svc, err := watcher.New(watching(), log, slog.New(slog.DiscardHandler))
		must(b, err)
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() { done <- svc.Run(ctx) }()
		for {
			if _, err := client.Sources.Ask(ctx, log.Conn(), client.None); err == nil {
				break
			}
		}
		b.StartTimer()
		l, err := client.AddSource.Ask(ctx, log.Conn(), contract.SourceAdd{Root: root})
		must(b, err)
		loaded := b.Elapsed()
		_, err = client.Announce.Ask(ctx, log.Conn(), contract.Announce{Paths: []string{root}})
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
