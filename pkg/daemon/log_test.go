package daemon

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogAtItsLimit_IsCutToWhatIsNewest(t *testing.T) {
	state := t.TempDir()
	f, err := openLog(state)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, ok := Bound(f, state).(*Bounded)
	if !ok {
		t.Fatal("its log is not known")
	}
	w.limit = 100
	for range 50 {
		if _, err := io.WriteString(w, strings.Repeat("x", 29)+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	// What the runtime writes goes to the same file.
	if _, err := f.WriteString("panic\n"); err != nil {
		t.Fatal(err)
	}
	now, err := os.ReadFile(LogFile(state))
	if err != nil || len(now) > 106 || !strings.HasSuffix(string(now), "xx\npanic\n") {
		t.Errorf("%d bytes, %q, %v", len(now), now, err)
	}
	old, err := os.ReadFile(LogFile(state) + ".1")
	if err != nil || len(old) != 90 {
		t.Errorf("%d bytes are kept of before, %v", len(old), err)
	}
}

func TestStandardErrorThatIsNotTheLog_IsNotBounded(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := Bound(f, t.TempDir()); w != io.Writer(f) {
		t.Errorf("%T is written to", w)
	}
}
