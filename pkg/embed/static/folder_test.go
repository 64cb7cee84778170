package static

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// first is the beginning of the bundled model, which is written and read faster.
func first() *Model {
	const n = 500
	lines := strings.SplitAfterN(bundledVocabulary, "\n", n+1)
	return &Model{bundledTable[:n*Dims], bundledScales[:n*4], strings.Join(lines[:n], "")}
}

// changed is that model with one row turned round.
func changed(t *testing.T) *Model {
	t.Helper()
	rows, err := first().Rows()
	if err != nil {
		t.Fatal(err)
	}
	for i := range Dims {
		rows[7*Dims+i] *= -1
	}
	m, err := first().WithRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func written(t *testing.T, m *Model) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "made", "model")
	if err := m.Write(folder, Bundled().Identity()); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestWrittenModel_IsTheSame(t *testing.T) {
	m := changed(t)
	folder := written(t, m)
	e, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := IdentityOf(folder); err != nil || id != m.Identity() || e.Identity() != id || id == first().Identity() {
		t.Errorf("identity %s, %v; the embedder says %s, the bundled one is %s", id, err, e.Identity(), Bundled().Identity())
	}
	if id, err := IdentityOf(""); err != nil || id != Bundled().Identity() {
		t.Errorf("without a folder: %s, %v", id, err)
	}
	if err := m.Write(folder, "x"); document.KindOf(err) != document.Conflict {
		t.Errorf("written over: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(folder))
	if err != nil || len(left) != 1 {
		t.Errorf("left beside it: %v, %v", left, err)
	}
}

// Each of these would give wrong vectors in silence.
func TestDamagedModel_IsRefused(t *testing.T) {
	replace := func(name string, change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			raw, err := os.ReadFile(filepath.Join(folder, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, name), change(raw), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		damage func(*testing.T, string)
		kind   document.ErrorKind
		says   string
	}{
		"truncated table":  {replace(tableFile, func(b []byte) []byte { return b[:len(b)-1] }), document.InvalidRequest, "bytes of scales"},
		"empty vocabulary": {replace(vocabularyFile, func([]byte) []byte { return nil }), document.InvalidRequest, "bytes of scales"},
		"other table":      {replace(tableFile, func([]byte) []byte { return first().table }), document.InvalidRequest, "its files are those of " + first().Identity()},
		"bit turned":       {replace(scalesFile, func(b []byte) []byte { b[40] ^= 1; return b }), document.InvalidRequest, "its files are those of"},
		"no number":        {replace(scalesFile, func(b []byte) []byte { return append([]byte{0, 0, 0xc0, 0x7f}, b[4:]...) }), document.InvalidRequest, "scale 0 is NaN"},
		"too many tokens":  {replace(vocabularyFile, func(b []byte) []byte { return []byte(strings.Repeat("a\n", 1<<16)) }), document.InvalidRequest, "65536 tokens"},
		"other tokenizer":  {replace(aboutFile, func(b []byte) []byte { return []byte(strings.Replace(string(b), "fsh-tok-1", "fsh-tok-9", 1)) }), document.VersionMismatch, "fsh-tok-9"},
		"newer format":     {replace(aboutFile, func(b []byte) []byte { return []byte(strings.Replace(string(b), `"format": 1`, `"format": 2`, 1)) }), document.VersionMismatch, "format 2"},
		"something else":   {replace(aboutFile, func([]byte) []byte { return []byte(`{"model_type": "bert"}`) }), document.InvalidRequest, "model.json is not"},
		"no table":         {func(t *testing.T, folder string) { os.Remove(filepath.Join(folder, tableFile)) }, document.InvalidRequest, tableFile},
		"no model":         {func(t *testing.T, folder string) { os.Remove(filepath.Join(folder, aboutFile)) }, document.NotFound, "[embedder_train]"},
		"no folder":        {func(t *testing.T, folder string) { os.RemoveAll(folder) }, document.NotFound, "embedder.model"},
	} {
		folder := written(t, changed(t))
		c.damage(t, folder)
		_, err := Open(folder)
		if document.KindOf(err) != c.kind || !strings.Contains(document.Coded(err), c.says) || !strings.Contains(err.Error(), folder) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRowOfAWrittenModel_IsRoundedOnce(t *testing.T) {
	rows, err := first().Rows()
	if err != nil {
		t.Fatal(err)
	}
	m, err := first().WithRows(rows)
	if err != nil || m.Identity() != first().Identity() {
		t.Errorf("the same rows are another model: %v", err)
	}
	again, err := changed(t).Rows()
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		want := rows[i]
		if i/Dims == 7 {
			want = -want
		}
		if d := again[i] - want; d > 1e-6 || d < -1e-6 {
			t.Fatalf("value %d is %v, not %v", i, again[i], want)
		}
	}
	rows[0] /= float32(len(rows) - len(again))
	if _, err := first().WithRows(rows); err == nil {
		t.Error("a value that is no number is rounded")
	}
	if _, err := first().WithRows(rows[:Dims]); err == nil {
		t.Error("too few rows are taken")
	}
}

func TestRounding_IsThatOfItsDefinition(t *testing.T) {
	row, got := make([]float32, Dims), make([]byte, Dims)
	copy(row, []float32{2, -2, 1, -.5, .008, .0078, -.0236})
	scale, err := round(got, row)
	if want := []byte{127, 256 - 127, 64, 256 - 32, 1, 0, 256 - 1, 0}; err != nil || scale != float32(2.0/127) || !bytes.Equal(got[:8], want) {
		t.Errorf("scale %v, %v, %v", scale, int8s(got[:8]), err)
	}
	if scale, err := round(got, make([]float32, Dims)); scale != 0 || err != nil || !bytes.Equal(got, make([]byte, Dims)) {
		t.Errorf("nothing becomes %v × %v, %v", scale, got, err)
	}
}

func int8s(b []byte) []int8 {
	out := make([]int8, len(b))
	for i := range b {
		out[i] = int8(b[i])
	}
	return out
}

func TestBag_IsWhatIsPooled(t *testing.T) {
	e := newEmbedder(t)
	for _, text := range []string{"", "open the file, then open the other file", "parse JSON"} {
		b := e.Bag(text)
		s := &scratch{ids: e.idsOf(text), counts: make([]uint32, len(e.scales))}
		pooled := e.pool(s)
		if pooled != (len(b.IDs) > 0) || len(b.IDs) != len(b.Weights) {
			t.Errorf("%q: %v", text, b)
		}
		for i, id := range b.IDs {
			if id != s.seen[i] || float64(b.Weights[i])*e.scales[id] < s.weight[i]*.999999 || float64(b.Weights[i])*e.scales[id] > s.weight[i]*1.000001 {
				t.Errorf("%q: token %d", text, id)
			}
		}
		if _, again := e.Bag(text), e.Bag(text); len(again.IDs) != len(b.IDs) {
			t.Errorf("%q: counts are left behind", text)
		}
	}
}
