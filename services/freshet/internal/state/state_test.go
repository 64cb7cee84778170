package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

func open(t *testing.T, path string) *state.Folder {
	t.Helper()
	f, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func refused(t *testing.T, path string, kind document.ErrorKind, parts ...string) {
	t.Helper()
	f, err := state.Open(path)
	if err == nil {
		_ = f.Close()
		t.Fatalf("%s was opened", path)
	}
	if document.KindOf(err) != kind {
		t.Errorf("kind is %s, want %s", document.KindOf(err), kind)
	}
	for _, p := range parts {
		if !strings.Contains(document.Coded(err), p) {
			t.Errorf("%q does not name %q", err, p)
		}
	}
}

func TestFolder_IsClosedToOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	f := open(t, path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := f.Announce(instance.Record{URL: "nats://127.0.0.1:1", PID: 7}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode stays %v, %v", info.Mode(), err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFolderInUse_IsRefusedToASecondOwner(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	refused(t, path, document.Conflict, path, "already runs", "state_add path="+path)
	if err := f.Announce(instance.Record{URL: "nats://127.0.0.1:4999", PID: os.Getpid(), Started: time.Now()}); err != nil {
		t.Fatal(err)
	}
	refused(t, path, document.Conflict, path, strconv.Itoa(os.Getpid()), "nats://127.0.0.1:4999", "state_add path="+path)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.Read(path); document.KindOf(err) != document.NotFound {
		t.Errorf("the instance file outlives its owner: %v", err)
	}
	f = open(t, path)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestForeignFolder_IsRefusedAndKept(t *testing.T) {
	path := t.TempDir()
	file := filepath.Join(path, "thesis.tex")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	refused(t, path, document.InvalidRequest, path, "thesis.tex", "[state_choose]")
	entries, _ := os.ReadDir(path)
	info, err := os.Stat(path)
	if err != nil || len(entries) != 1 || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder was changed: %v, %v", entries, info.Mode())
	}
	refused(t, file, document.InvalidRequest, file, "no folder")
}

// A configuration may be written there before the first start, and be half written when its
// writer is killed.
func TestFolderWithAHalfWrittenConfiguration_IsTaken(t *testing.T) {
	path := t.TempDir()
	for _, pattern := range []string{state.Temporary, state.Temporary + "*.yaml"} {
		part, err := os.CreateTemp(path, pattern)
		if err != nil {
			t.Fatal(err)
		}
		if err := part.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
}

func TestNewerState_IsLeftUntouched(t *testing.T) {
	path := t.TempDir()
	format := filepath.Join(path, "format")
	for text, kind := range map[string]document.ErrorKind{"2\n": document.VersionMismatch, "x": document.InvalidRequest, "0": document.InvalidRequest} {
		if err := os.WriteFile(format, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, path, kind, path)
		if have, err := os.ReadFile(format); err != nil || string(have) != text {
			t.Errorf("the format file is %q now, %v", have, err)
		}
		if entries, _ := os.ReadDir(path); len(entries) != 1 {
			t.Errorf("the folder holds %v", entries)
		}
	}
}

// A lock is on what was opened, not on its name.
func TestLockThatWasMadeAgain_IsNotFree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	f := open(t, path)
	log, err := f.TakeLog()
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(path, "lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	refused(t, path, document.Conflict, path, "already runs")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, path, document.Conflict, path, "already runs")
	// The same log in another folder.
	other := filepath.Join(t.TempDir(), "other")
	second := open(t, other)
	if err := os.Rename(log, filepath.Join(other, "log")); err != nil {
		t.Fatal(err)
	}
	if _, err := second.TakeLog(); document.KindOf(err) != document.Conflict {
		t.Errorf("the log has two owners: %v", err)
	}
	for _, f := range []*state.Folder{second, f} {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLossOfTheFolder_IsNoticed(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"the lock is removed":    func(path string) error { return os.Remove(filepath.Join(path, "lock")) },
		"the log is moved":       func(path string) error { return os.Rename(filepath.Join(path, "log"), path+"-log") },
		"the folder is removed":  os.RemoveAll,
		"the folder is replaced": func(path string) error { return errors.Join(os.Rename(path, path+"-old"), os.Mkdir(path, 0o700)) },
		"the lock is replaced": func(path string) error {
			lock := filepath.Join(path, "lock")
			return errors.Join(os.WriteFile(lock+"2", nil, 0o600), os.Rename(lock+"2", lock))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state")
			f := open(t, path)
			if _, err := f.TakeLog(); err != nil {
				t.Fatal(err)
			}
			if err := f.Announce(instance.Record{URL: "nats://127.0.0.1:1", PID: 7}); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- f.Watch(t.Context()) }()
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			err := <-done
			if !errors.Is(err, state.ErrLost) || document.KindOf(err) != document.Conflict || !strings.Contains(err.Error(), path) {
				t.Errorf("watch ended with %v", err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
