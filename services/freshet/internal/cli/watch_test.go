package cli_test

import (
	"bufio"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestKeptQuestion_IsAnsweredAsItComes(t *testing.T) {
	t.Parallel()
	i := start(t, filepath.Join(t.TempDir(), "s"))
	must(t, "source", "add", "--api", "tickets", "--data", i.data)
	refuse(t, program(t, "watch", "--data", i.data), "--list")
	refuse(t, program(t, "watch", "bitterns", "--list", "--data", i.data), "--list")
	refuse(t, program(t, "watch", "--id", strings.Repeat("a", 26), "--data", i.data), "no question is kept")

	keeps := program(t, "watch", "bitterns booming at dusk", "--source", "tickets", "--keep", "--json", "--data", i.data)
	notes, err := keeps.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := keeps.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := keeps.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = keeps.Process.Kill()
		_ = keeps.Wait()
	})
	note := bufio.NewScanner(notes)
	if !note.Scan() || !strings.Contains(note.Text(), "kept as ") {
		t.Fatalf("%q", note.Text())
	}
	in := program(t, "put", "tickets", "bitterns.md", "--data", i.data)
	in.Stdin = strings.NewReader("# Bitterns booming at dusk\n\nBitterns are booming at dusk.\n")
	finish(t, in)
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("nothing was told")
	}
	hit := strict[contract.StandingHit](t, "standing-hit", lines.Text())
	if hit.Hit.Path != "bitterns.md" || !strings.Contains(hit.Hit.Text, "booming") {
		t.Errorf("%+v", hit)
	}
	if err := keeps.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = keeps.Wait()
	if list := must(t, "watch", "--list", "--data", i.data); !strings.Contains(list, hit.ID) || !strings.Contains(list, "bitterns booming") {
		t.Errorf("%s is not kept: %s", hit.ID, list)
	}
	if left := must(t, "watch", "--remove", hit.ID, "--data", i.data); strings.Contains(left, hit.ID) {
		t.Errorf("%s stays: %s", hit.ID, left)
	}
	i.stop()
}
