package transformer

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

var texts = []string{
	"the heron stands in the weir", "", "a", "water, water (a.b.c)", strings.Repeat("standing herons ", 40), "湖 the 湖", "unknownword in water",
}

// plainly runs a test with the kernels of this processor, and without them.
func plainly(t *testing.T, test func(t *testing.T)) {
	t.Run("fast", test)
	if wide {
		wide = false
		t.Run("narrow", test)
		wide = true
	}
	if fast {
		fast = false
		defer func() { fast = true }()
		t.Run("plain", test)
	}
}

func TestVector_IsWhatTheModelDefines(t *testing.T) {
	plainly(t, func(t *testing.T) {
		for name, first := range map[string]bool{"mean": false, "first token": true} {
			m := writeModel(t, func(files map[string]any) {
				files[filePooling] = map[string]any{"pooling_mode_cls_token": first, "pooling_mode_mean_tokens": !first}
			})
			e, err := Open(m.folder)
			if err != nil {
				t.Fatal(err)
			}
			vectors, errs := e.EmbedDocuments(t.Context(), texts)
			for i, text := range texts {
				if errs[i] != nil {
					t.Fatal(errs[i])
				}
				want := m.vector(e.model.words.cut(text, e.model.Length), first)
				var dot, squares float64
				for j, v := range vectors[i].Data {
					x := float64(v) * float64(vectors[i].Scale)
					dot, squares = dot+x*want[j], squares+x*x
				}
				if cosine := dot / math.Sqrt(squares); cosine < 0.9995 { // int8
					t.Errorf("%s, %q: cosine %.6f with the definition", name, text, cosine)
				}
			}
			got := (&pass{m: e.model}).run([][]int32{e.model.words.cut(texts[0], 40)})[0]
			var squares float64
			for _, x := range got {
				squares += float64(x) * float64(x)
			}
			for j, v := range m.vector(e.model.words.cut(texts[0], 40), first) {
				if x := float64(got[j]) / math.Sqrt(squares); math.Abs(v-x) > 2e-5 {
					t.Errorf("%s: value %d is %g, want %g", name, j, x, v)
				}
			}
		}
	})
}

func TestVector_IsTheSameAloneAndInABatch(t *testing.T) {
	plainly(t, func(t *testing.T) {
		e, err := Open(writeModel(t, nil).folder)
		if err != nil {
			t.Fatal(err)
		}
		many := slices.Concat(texts, texts, texts, texts)
		together, errs := e.EmbedDocuments(t.Context(), many)
		for i, text := range many {
			alone, _ := e.EmbedDocuments(t.Context(), []string{text})
			query, err := e.EmbedQuery(t.Context(), text)
			if errs[i] != nil || err != nil {
				t.Fatal(errs[i], err)
			}
			for what, v := range map[string]embed.Vector{"alone": alone[0], "as a question": query} {
				if v.Scale != together[i].Scale || !slices.Equal(v.Data, together[i].Data) {
					t.Errorf("%q has another vector %s than among others", text, what)
				}
			}
		}
	})
}

func TestModelWithPrompts_PutsThemBeforeTexts(t *testing.T) {
	plain, err := Open(writeModel(t, nil).folder)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(writeModel(t, func(files map[string]any) {
		files[filePrompts] = map[string]any{"prompts": map[string]string{"query": "the weir ", "passage": "the water "}}
	}).folder)
	if err != nil {
		t.Fatal(err)
	}
	if e.Identity() == plain.Identity() {
		t.Error("a model with prompts has the identity of one without")
	}
	query, _ := e.EmbedQuery(t.Context(), "stands")
	want, _ := plain.EmbedQuery(t.Context(), "the weir stands")
	if !slices.Equal(query.Data, want.Data) {
		t.Error("a question has no prompt before it")
	}
	passage, _ := e.EmbedDocuments(t.Context(), []string{"stands"})
	if want, _ = plain.EmbedQuery(t.Context(), "the water stands"); !slices.Equal(passage[0].Data, want.Data) {
		t.Error("a passage has no prompt before it")
	}
}

func TestEndedContext_IsNotWorkedOn(t *testing.T) {
	e, err := Open(writeModel(t, nil).folder)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, errs := e.EmbedDocuments(ctx, texts)
	for i, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("text %d: %v", i, err)
		}
	}
	if _, err := e.EmbedQuery(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPieces_AreThoseOfBERT(t *testing.T) {
	w, err := newWords([]byte(strings.Join(madeWords, "\n")), len(madeWords), false)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"The HERON stands":       "the heron stands",
		"herons standing":        "heron ##s stand ##ing",
		"h\u00e9ron he\u0301ron": "heron heron", // composed and decomposed accents
		"weir,water.":            "weir , water .",
		"湖湖the":                  "湖 湖 the",
		"we\u200bir\x00 \t\n":    "weir", // what is not shown is nothing
		"herring":                "[UNK]",
		"a[SEP]b [MASKed]":       "a [SEP] b [UNK] [UNK] [UNK]",
		strings.Repeat("a", 101): "[UNK]",
		"":                       "",
	} {
		var got []string
		ids := w.cut(text, 40)
		for _, id := range ids {
			got = append(got, madeWords[id])
		}
		if s := strings.Join(got, " "); s != strings.Join(strings.Fields("[CLS] "+want+" [SEP]"), " ") {
			t.Errorf("%q is cut into %s, want %s", text, s, want)
		}
	}
	if n := len(w.cut(strings.Repeat("water ", 100), 40)); n != 40 {
		t.Errorf("a long text has %d tokens, want 40", n)
	}
}

func TestBadModel_IsRefusedByItsFault(t *testing.T) {
	config := func(key string, value any) func(map[string]any) {
		return func(files map[string]any) { files[fileConfig].(map[string]any)[key] = value }
	}
	for name, c := range map[string]struct {
		change func(map[string]any)
		kind   document.ErrorKind
		says   string
	}{
		"no weights":       {func(f map[string]any) { delete(f, fileWeights) }, document.NotFound, "no "},
		"no words":         {func(f map[string]any) { delete(f, fileWords) }, document.NotFound, "no "},
		"another type":     {config("model_type", "roberta"), document.InvalidRequest, "roberta"},
		"another function": {config("hidden_act", "relu"), document.InvalidRequest, "relu"},
		"other positions":  {config("position_embedding_type", "relative_key"), document.InvalidRequest, "relative_key"},
		"other sizes":      {config("hidden_size", 32), document.InvalidRequest, "do not fit"},
		"too many layers":  {config("num_hidden_layers", 3), document.InvalidRequest, "encoder.layer.2"},
		"half of the file": {func(f map[string]any) { b := f[fileWeights].([]byte); f[fileWeights] = b[:len(b)/2] }, document.InvalidRequest, "damaged"},
		"no numbers": {func(f map[string]any) {
			copy(f[fileWeights].([]byte)[len(f[fileWeights].([]byte))-8:], "\xff\xff\xff\xff\xff\xff\xff\xff")
		}, document.InvalidRequest, "damaged"},
		"nothing in it":     {func(f map[string]any) { f[fileWeights] = []byte{} }, document.InvalidRequest, "damaged"},
		"a header of 2^60":  {func(f map[string]any) { f[fileWeights] = []byte("\x00\x00\x00\x00\x00\x00\x00\x10{}") }, document.InvalidRequest, "header"},
		"too many words":    {func(f map[string]any) { f[fileWords] = []byte(strings.Join(madeWords, "\n") + "\none\nmore\n") }, document.InvalidRequest, "words"},
		"no special words":  {func(f map[string]any) { f[fileWords] = []byte("the\n") }, document.InvalidRequest, "[UNK]"},
		"a damaged setting": {func(f map[string]any) { f[fileLength] = []byte("{") }, document.InvalidRequest, fileLength},
		"another pooling":   {func(f map[string]any) { f[filePooling] = map[string]any{"pooling_mode_mean_tokens": false} }, document.InvalidRequest, "pools"},
	} {
		t.Run(name, func(t *testing.T) {
			m := writeModel(t, c.change)
			_, err := Open(m.folder)
			if document.KindOf(err) != c.kind || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %s with %q", err, c.kind, c.says)
			}
		})
	}
	if Is(t.TempDir()) {
		t.Error("an empty folder is a model")
	}
}

// One value that is changed in any file is another model.
func TestOtherModel_HasAnotherIdentity(t *testing.T) {
	m := writeModel(t, nil)
	before, err := SpaceOf(m.folder)
	if err != nil || before.Dims != madeHidden {
		t.Fatal(before, err)
	}
	path := filepath.Join(m.folder, fileWeights)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	after, err := SpaceOf(m.folder)
	if err != nil || after.Identity == before.Identity {
		t.Errorf("identity %s: %v", after.Identity, err)
	}
}

func TestProduct_IsThatOfItsDefinition(t *testing.T) {
	plainly(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(3, 4))
		for _, size := range [][3]int{{1, 1, 1}, {6, 16, 16}, {7, 5, 17}, {13, 48, 33}, {40, 3, 100}} {
			rows, k, columns := size[0], size[1], size[2]
			a, b := make([]float32, up(rows, tileRows)*k), make([]float32, k*columns)
			for _, m := range [][]float32{a[:rows*k], b} {
				for i := range m {
					m[i] = float32(random.NormFloat64())
				}
			}
			p := packTransposed(b, k, columns)
			width := up(columns, panel)
			out := make([]float32, up(rows, tileRows)*width)
			multiply(out, a, rows, &p)
			for r := range rows {
				for c := range columns {
					var want float64
					for i := range k {
						want += float64(a[r*k+i]) * float64(b[c*k+i])
					}
					if got := float64(out[r*width+c]); math.Abs(got-want) > 1e-4 {
						t.Fatalf("%v: row %d, column %d is %g, want %g", size, r, c, got, want)
					}
				}
			}
		}
	})
}

func TestFunctions_AreThoseOfTheirDefinition(t *testing.T) {
	plainly(t, func(t *testing.T) {
		xs := make([]float32, 0, 1<<14)
		for i := range 1 << 14 {
			xs = append(xs, float32(i-1<<13)/512) // from -16 to 16
		}
		got := slices.Clone(xs)
		gelus(got)
		for i, x := range xs {
			want := float64(x) * 0.5 * (1 + math.Erf(float64(x)/math.Sqrt2))
			if math.Abs(float64(got[i])-want) > 1e-6*max(1, math.Abs(want)) {
				t.Fatalf("gelu(%g) is %g, want %g", x, got[i], want)
			}
		}
		for i := range xs {
			xs[i] = xs[i]*4 - 64 // from -128 to 0
		}
		got = slices.Clone(xs)
		exponentials(got, 0)
		for i, x := range xs {
			want := math.Exp(float64(x))
			if x < -87 {
				want = 0
			}
			if math.Abs(float64(got[i])-want) > 3e-7*want {
				t.Fatalf("exp(%g) is %g, want %g", x, got[i], want)
			}
		}
	})
}

func TestHalf_IsTheSameNumber(t *testing.T) {
	for bits, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 1.0 / (1 << 24), 0x3555: 0.333251953125, 0x7c00: float32(math.Inf(1)),
	} {
		if got := half(bits); got != want {
			t.Errorf("%#04x is %g, want %g", bits, got, want)
		}
	}
}

func FuzzTensors(f *testing.F) {
	m := writeModel(f, nil)
	b, err := os.ReadFile(filepath.Join(m.folder, fileWeights))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[:400])
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if parsed, err := parseTensors(b); err == nil {
			for name := range parsed.entries {
				_, _ = parsed.floats(name, parsed.entries[name].Shape...)
			}
		}
	})
}

func FuzzCut(f *testing.F) {
	w, err := newWords([]byte(strings.Join(madeWords, "\n")), len(madeWords), false)
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := w.cut(text, 40)
		if len(ids) < 2 || len(ids) > 40 || ids[0] != w.begin || ids[len(ids)-1] != w.end {
			t.Errorf("%q: %v", text, ids)
		}
	})
}
