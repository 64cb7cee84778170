//go:build prove

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// nobody is a user without rights, as which the program runs where the tests
// run as root, whom no permission stops.
const nobody = 65534

// unprivileged returns `freshet up` for a user whom permissions stop. The
// folders become that user's.
func unprivileged(t *testing.T, data string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := freshetCommand(t, []string{"HOME=" + data}, append([]string{"up", "--data", data}, args...)...)
	if os.Geteuid() != 0 {
		return cmd
	}
	program := filepath.Join(filepath.Dir(data), "freshet")
	binary, err := os.ReadFile(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{data, filepath.Dir(data)} {
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Path, cmd.Dir = program, data
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

// What may not be read is in the log with that reason, keeps nothing else out,
// and comes in as soon as it may be read.
func TestUnreadableFile_KeepsNothingElseOut(t *testing.T) {
	data := t.TempDir()
	root := filepath.Join(filepath.Dir(data), "locked")
	word := map[string]string{
		"open.txt": "Offenstall", "closed.txt": "Riegelwerk", "closed/in.txt": "Kellertor", "listed/in.txt": "Namensliste", "searched/in.txt": "Suchgang",
		"rules/in.txt": "Regelwerk", "rules/.gitignore": "*",
	}
	for path, text := range word {
		write(t, filepath.Join(root, path), text+"\n")
	}
	modes := map[string]fs.FileMode{"closed.txt": 0, "closed": 0, "listed": 0o444, "searched": 0o111, "rules/.gitignore": 0}
	for path, mode := range modes {
		if err := os.Chmod(filepath.Join(root, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for path := range modes {
			_ = os.Chmod(filepath.Join(root, path), 0o755) // so that the folder can be removed
		}
	})
	p, out := launchCommand(t, unprivileged(t, data, "--nats-port", "0", root))
	p.ready(out)
	r := attach(t, p.url, data)
	log := r.present("locked")
	for path, reason := range map[string]string{
		"open.txt": "", "rules/in.txt": "", "closed.txt": "unreadable", "closed": "unreadable", "listed/in.txt": "unreadable", "searched": "unreadable", "rules/.gitignore": "unreadable",
	} {
		if h := log[path]; !strings.HasPrefix(h.Reason, reason) || (h.Op == contract.OpPut) != (reason == "") {
			t.Errorf("%s is %s %q, want the reason %q", path, h.Op, h.Reason, reason)
		}
		delete(log, path)
	}
	if len(log) > 0 {
		t.Errorf("nobody made %v", log)
	}
	for path, mode := range map[string]fs.FileMode{"closed.txt": 0o644, "closed": 0o755, "listed": 0o755, "searched": 0o755} {
		if err := os.Chmod(filepath.Join(root, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []document.Path{"closed.txt", "closed/in.txt", "listed/in.txt", "searched/in.txt"} {
		token := r.seen("locked", path, holds(word[string(path)]+"\n"))
		r.shows(token.String(), word[string(path)], "locked/"+string(path))
	}
	r.bus.Close()
	p.stop()
}
