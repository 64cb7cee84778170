package watcher_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

// folderWith returns a folder that holds one file.
func folderWith(t *testing.T, name, text string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// watched waits until exactly these roots are watched and compared, and
// returns what is said of them.
func watched(t *testing.T, b *bus.Bus, roots ...string) []contract.SourceInfo {
	t.Helper()
	var list contract.SourceList
	eventually(t, func() (err error) {
		list, err = client.Sources.Ask(t.Context(), b.Conn(), client.None)
		if err != nil {
			return err
		}
		var have []string
		for _, s := range list.Sources {
			if s.Watched && !s.Scanned.IsZero() && !s.Scanning {
				have = append(have, s.Root)
			}
		}
		if strings.Join(have, " ") != strings.Join(roots, " ") {
			return fmt.Errorf("watched are %v, not %v", have, roots)
		}
		return nil
	})
	return list.Sources
}

// signalLog tells when something was logged.
type signalLog struct {
	mu   sync.Mutex
	text string
}

func (l *signalLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text += string(p)
	return len(p), nil
}

func (l *signalLog) wait(t *testing.T, part string) {
	t.Helper()
	eventually(t, func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !strings.Contains(l.text, part) {
			return fmt.Errorf("nothing says %q", part)
		}
		return nil
	})
}

func TestTwoWatchersOfOneLog_OneFollowsAndOneWaits(t *testing.T) {
	server, first := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	one, two := folderWith(t, "heron.md", "Herons.\n"), folderWith(t, "egret.md", "Egrets.\n")
	holder := &rig{t: t, bus: first, cfg: watching(one)}
	holder.start()

	second, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Close)
	log := &signalLog{}
	svc, err := watcher.New(watching(two), second, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := svc.Ready(t.Context()); document.KindOf(err) != document.Unavailable {
		t.Errorf("it is ready before it runs: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- svc.Run(ctx) }()
	log.wait(t, "waits in reserve")
	if err := svc.Ready(t.Context()); err != nil {
		t.Errorf("a deployment would wait for it: %v", err)
	}
	if list := watched(t, first, one); len(list) != 1 {
		t.Errorf("the other one has done something: %+v", list)
	}

	holder.stop()
	watched(t, second, two)
	log.wait(t, "takes over")
	if err := svc.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A watcher that hung loses its role to another one, and may get it back.
func TestWatcherThatLostItsRole_WorksOnceItIsBack(t *testing.T) {
	root := folderWith(t, "heron.md", "Herons.\n")
	r := startRig(t, watching(root))
	kv, err := r.bus.JetStream().KeyValue(t.Context(), contract.BucketMeta)
	if err != nil {
		t.Fatal(err)
	}
	before, err := kv.Get(t.Context(), "role.watcher")
	if err != nil {
		t.Fatal(err)
	}
	// A process that takes the role and ends.
	if _, err := kv.PutString(t.Context(), "role.watcher", "nobody"); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		now, err := kv.Get(t.Context(), "role.watcher")
		if err == nil && string(now.Value()) != string(before.Value()) {
			return fmt.Errorf("the role is with %s", now.Value())
		}
		return err
	})
	if err := os.WriteFile(filepath.Join(root, "egret.md"), []byte("Egrets.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		list := watched(t, r.bus, root)
		if len(list) != 1 || list[0].Documents != 2 {
			return fmt.Errorf("it says %+v", list)
		}
		return nil
	})
	r.expect(watched(t, r.bus, root)[0].Source, document.Worktree, map[string]string{"heron.md": "Herons.\n", "egret.md": "Egrets.\n"})
}
