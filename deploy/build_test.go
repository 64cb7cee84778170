package deploy

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var built struct {
	sync.Mutex
	dir  string // "" until the first test asks
	done bool
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir) // the system clears its temporary folder
	}
	os.Exit(code)
}

// version is the build argument VERSION of the tests.
const version = "1.2.3-test"

// programs runs the Dockerfile's build commands, with only the folder of the
// results exchanged, in a copy of what the Dockerfile copies, and returns that
// folder. All tests share one build.
func programs(t *testing.T) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	switch {
	case built.done:
		return filepath.Join(built.dir, "out")
	case built.dir != "":
		t.Fatal("the build failed before")
	}
	dir, err := os.MkdirTemp("", "freshet-images-")
	if err != nil {
		t.Fatal(err)
	}
	built.dir = dir
	tree, out := filepath.Join(dir, "src"), filepath.Join(dir, "out")
	for _, path := range contextPaths(t) {
		if err := copyTo(filepath.Join(tree, path), filepath.Join("..", path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range buildCommands(t) {
		build := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, " /out/ ", " "+out+"/ "))
		build.Dir = tree
		build.Env = append(os.Environ(), "GOWORK=off", "VERSION="+version)
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
	}
	built.done = true
	return out
}

func copyTo(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

func TestBuild_HasEveryProgram(t *testing.T) {
	out := programs(t)
	for _, name := range append(services, single) {
		program := filepath.Base(readImage(t, name).Entrypoint[0])
		args := []string{"--version"}
		if name == single {
			args = []string{"version"}
		}
		said, err := exec.CommandContext(t.Context(), filepath.Join(out, program), args...).CombinedOutput()
		if want := program + " " + version + " "; err != nil || !strings.HasPrefix(string(said), want) {
			t.Errorf("%s says %q (%v), want %q", program, said, err, want)
		}
	}
}

// The images have no C library.
func TestPrograms_AreStatic(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("what is built for %s says nothing of an image", runtime.GOOS)
		return
	}
	for _, name := range append(services, single) {
		if loader, err := interpreter(filepath.Join(programs(t), name)); err != nil || loader != "" {
			t.Errorf("%s needs %s (%v)", name, loader, err)
		}
	}
}

// interpreter returns the loader that a program asks for, "" when it is static.
func interpreter(program string) (string, error) {
	f, err := elf.Open(program)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Sprintf("a loader of %d bytes", p.Filesz), nil
		}
	}
	return "", nil
}
