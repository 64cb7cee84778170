package state_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/instance"
)

func TestSecret_OutlivesARestartAndIsReadByItsOwnerAlone(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	first, file, err := f.Secret()
	if err != nil || filepath.Dir(file) != path {
		t.Fatalf("%s, %v", file, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	again, _, err := f.Secret()
	if err != nil || again != first || len(first) < 32 {
		t.Errorf("the secret changed over a restart, %v", err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if err := f.Announce(instance.Record{URL: "nats://127.0.0.1:1", SecretFile: file}); err != nil {
		t.Fatal(err)
	}
	i, err := instance.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := i.Remote("ask"); err != nil || r.User != "ask" || r.Password != first.Password("ask") {
		t.Errorf("the login is %s, %v", r.User, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
