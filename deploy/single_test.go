package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stateFolder is the state folder inside the image of everything.
func stateFolder(t *testing.T) string {
	for _, entry := range readImage(t, single).Env {
		if parent, ok := strings.CutPrefix(entry, "XDG_STATE_HOME="); ok {
			return parent + "/freshet"
		}
	}
	t.Fatal("the image does not say where its state is")
	return ""
}

// The start command and the health check run here as the Dockerfile has them,
// with only the image's folders exchanged.
func TestSingleImage_StartsAndBecomesHealthy(t *testing.T) {
	image := readImage(t, single)
	if len(image.Cmd) != 2 || image.Healthcheck == nil || image.Healthcheck.Test[0] != "CMD" {
		t.Fatalf("the image is not as this test reads it: %+v", image)
	}
	dir := t.TempDir()
	source, state := filepath.Join(dir, "source"), filepath.Join(dir, "state")
	if err := os.MkdirAll(source, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(source, "notes.md"), []byte("# Notes\n\nThe heron stands in the weir.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(programs(t), single)
	command := func(args ...string) *exec.Cmd {
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], image.Cmd[1], source)
		}
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		return cmd
	}
	health := image.Healthcheck.Test[2:]

	// A container has the default port to itself; this machine may not.
	up := command(append(append(image.Entrypoint[1:], image.Cmd...), "--nats-port", "0")...)
	var said bytes.Buffer
	up.Stderr = &said
	stdout, err := up.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 1<<10)
	n, err := stdout.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "ready nats://") {
		_ = up.Wait()
		t.Fatalf("%v: %s%s", err, line[:n], said.String())
	}
	if out, err := command(health...).CombinedOutput(); err != nil {
		t.Errorf("the health check of a healthy container fails: %v\n%s", err, out)
	}
	out, err := command("search", "heron in the weir").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "notes.md") {
		t.Errorf("the search that the comments describe: %v\n%s", err, out)
	}
	if err := up.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := up.Wait(); err != nil {
		t.Errorf("docker stop: %v\n%s", err, said.String())
	}
	if out, err := command(health...).CombinedOutput(); err == nil {
		t.Errorf("the health check of a container that has ended passes:\n%s", out)
	}
}
