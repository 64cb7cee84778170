package siege

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
)

// A round that goes wrong is in the ledger, keeps its folder and says how it is
// run again.
func TestRoundThatFails_LeavesATrace(t *testing.T) {
	var out strings.Builder
	cfg := Config{Program: filepath.Join(t.TempDir(), "nobody"), Folder: t.TempDir(), Ledger: filepath.Join(t.TempDir(), "new", "ledger"),
		For: time.Hour, Rounds: 2, Seed: 41, Length: time.Minute, Damage: true, Out: &out}
	n, err := Run(t.Context(), cfg)
	if err != nil || n != 2 {
		t.Fatalf("%d rounds went wrong: %v", n, err)
	}
	rounds, err := Read(cfg.Ledger)
	if err != nil || len(rounds) != 2 || rounds[0].Seed != 41 || rounds[1].Seed != 42 || rounds[0].Trouble == "" || rounds[0].Mode != Embedded {
		t.Fatalf("%+v: %v", rounds, err)
	}
	kept, err := os.ReadDir(cfg.Folder)
	if err != nil || len(kept) != 2 {
		t.Errorf("%d folders are kept: %v", len(kept), err)
	}
	if !strings.Contains(out.String(), "make siege SEED=41 ROUNDS=1 LENGTH=1m0s ARGS=--damage") {
		t.Errorf("%s", out.String())
	}
	// The next one goes on where this one ended.
	if seed, err := NextSeed(cfg.Ledger, Embedded); err != nil || seed != 43 {
		t.Errorf("the next seed is %d: %v", seed, err)
	}
	if seed, err := NextSeed(cfg.Ledger, Servers); err != nil || seed != 1 {
		t.Errorf("the next seed of the other mode is %d: %v", seed, err)
	}
}

func TestCalmRound_HasNoBlows(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asProgram, "yes")
	var out strings.Builder
	cfg := Config{Mode: Calm, Program: self, Folder: t.TempDir(), Ledger: filepath.Join(t.TempDir(), "ledger"),
		Rounds: 1, Seed: 1, Length: 5 * time.Second, Writers: 2, Readers: 3, Out: &out}
	n, err := Run(t.Context(), cfg)
	if err != nil || n != 0 {
		t.Fatalf("%d rounds went wrong: %v\n%s", n, err, out.String())
	}
	rounds, err := Read(cfg.Ledger)
	if err != nil || len(rounds) != 1 || rounds[0].Mode != Calm || rounds[0].Answers == 0 || len(rounds[0].Blows) > 0 {
		t.Fatalf("%+v: %v", rounds, err)
	}
	cfg.Damage = true
	if _, err := Run(t.Context(), cfg); err == nil {
		t.Error("damage is no blow")
	}
}

func TestTotals_HaveEveryRound(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "ledger")
	for seed := range uint64(4) {
		e := NewEntry(seed+1, []string{Embedded, Servers}[seed/3])
		e.Answers, e.WithToken, e.Seconds = 1000, 600, 60
		e.Blows["kill"] = 2
		if seed == 2 {
			e.Violations["ghost"] = 3
		}
		if err := Append(ledger, e); err != nil {
			t.Fatal(err)
		}
	}
	rounds, err := Read(ledger)
	if err != nil {
		t.Fatal(err)
	}
	sums := Sum(rounds, 0, 0)
	if len(sums) != 3 || sums[0].Mode != Embedded || sums[0].Rounds != 3 || sums[0].Violations["ghost"] != 3 || sums[0].Broken != 1 ||
		sums[2].Answers != 4000 || sums[2].First != 1 || sums[2].Last != 4 || sums[2].Blows["kill"] != 8 {
		t.Errorf("%+v", sums)
	}
	if some := Sum(rounds, 2, 2); some[len(some)-1].Answers != 1000 {
		t.Errorf("of one seed: %+v", some)
	}
	var out strings.Builder
	if err := Print(&out, sums); err != nil || !strings.Contains(out.String(), "ghost 3") || !strings.Contains(out.String(), "4000") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := Print(&out, Sum(nil, 0, 0)); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(ledger, []byte("no round\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(ledger); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a line that is no round: %v", err)
	}
}

// The seed alone decides, and every configuration that it draws can be used.
func TestDrawnSettings_AreValid(t *testing.T) {
	for seed := range uint64(300) {
		text := settings(stream(seed, forSettings))
		if again := settings(stream(seed, forSettings)); again != text {
			t.Fatalf("seed %d draws two configurations:\n%s\n%s", seed, text, again)
		}
		if other := regrouped(text, stream(seed, forBlows)); other == text || len(strings.Split(other, "\n")) != len(strings.Split(text, "\n")) {
			t.Fatalf("other collections than\n%s\nare\n%s", text, other)
		}
		file := filepath.Join(t.TempDir(), "freshet.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		drawn, _ := stages(seed)
		cfg, err := config.Load(file, drawn.Environment()...)
		if err == nil {
			err = cfg.Validate()
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if l := lengthOf(seed); l < MinRound || l > MaxRound {
			t.Errorf("seed %d has a round of %s", seed, l)
		}
	}
}

func TestBit_IsFlipped(t *testing.T) {
	r := newAssault(&round{ground: ground{data: t.TempDir()}, entry: NewEntry(1, Embedded)})
	if err := r.flip(); err == nil {
		t.Error("there is no log, and nothing is said")
	}
	dir := filepath.Join(r.ground.data, "log", "jetstream", "FILES", "msgs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	before := strings.Repeat("x", 100)
	if err := os.WriteFile(filepath.Join(dir, "1.blk"), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.flip(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(dir, "1.blk"))
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := range before {
		if after[i] != before[i] {
			changed++
		}
	}
	if changed != 1 || r.entry.Blows["bit flipped"] != 1 {
		t.Errorf("%d bytes differ: %v", changed, r.entry.Blows)
	}
}
