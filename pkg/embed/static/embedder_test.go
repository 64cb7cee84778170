package static

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/embed"
)

func TestBundledModel_IsTheMeasuredOne(t *testing.T) {
	sum := sha256.Sum256(bundledTable)
	const want = "35fa0b0e4b535a8ea76f1a434f66da564231c10c32e7493ac9f508a62c08bded"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("table_int8.bin has the SHA-256 %s, want %s", got, want)
	}
	e := newEmbedder(t)
	if id := e.Identity(); !strings.HasPrefix(id, "static-") || len(id) != len("static-")+12 || id != newEmbedder(t).Identity() {
		t.Errorf("identity is %q, then %q", id, newEmbedder(t).Identity())
	}
}

// dot returns the similarity of two vectors.
func dot(a, b embed.Vector) float64 {
	var sum int
	for i := range a.Data {
		sum += int(a.Data[i]) * int(b.Data[i])
	}
	return float64(sum) * float64(a.Scale) * float64(b.Scale)
}

func TestQuestion_IsNearerToItsAnswerThanToOtherCode(t *testing.T) {
	e := newEmbedder(t)
	docs := []string{
		"func (c *Client) retry(req *Request) error {\n\tfor i := 0; i < c.maxAttempts; i++ { backoff.Sleep(i) }",
		"class UserRepository: def find_by_email(self, email): return self.session.query(User)",
		"void draw_triangle(vec3 a, vec3 b, vec3 c) { glBegin(GL_TRIANGLES); }",
	}
	vectors, errs := e.EmbedDocuments(t.Context(), docs)
	for i, question := range []string{"how failed requests are retried", "look a user up by email", "render a triangle with OpenGL"} {
		query, err := e.EmbedQuery(t.Context(), question)
		if err != nil || errs[i] != nil {
			t.Fatal(err, errs[i])
		}
		for j := range docs {
			if j != i && dot(query, vectors[j]) >= dot(query, vectors[i]) {
				t.Errorf("%q is nearer to %q than to %q", question, docs[j], docs[i])
			}
		}
	}
}

func TestVector_HasUnitLength(t *testing.T) {
	e := newEmbedder(t)
	v, err := e.EmbedQuery(t.Context(), "parse an IPv6 address")
	if err != nil || len(v.Data) != e.Dims() {
		t.Fatalf("%d dimensions, error %v", len(v.Data), err)
	}
	if n := math.Sqrt(dot(v, v)); math.Abs(n-1) > 0.01 {
		t.Errorf("length is %f", n)
	}
	if !slices.Contains(v.Data, 127) && !slices.Contains(v.Data, -127) {
		t.Error("the range of int8 is not used")
	}
}

func TestTextWithoutKnownToken_GetsNoVector(t *testing.T) {
	e := newEmbedder(t)
	texts := []string{"", " \n", "配置文件", "()[]{};", "word"}
	vectors, errs := e.EmbedDocuments(t.Context(), texts)
	for i, text := range texts {
		if errs[i] != nil || vectors[i].IsZero() != (text != "word") {
			t.Errorf("%q: vector %v, error %v", text, vectors[i], errs[i])
		}
	}
}

func TestCancelledCall_ReturnsNoVectors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := newEmbedder(t)
	vectors, errs := e.EmbedDocuments(ctx, []string{"one", "two"})
	for i := range errs {
		if !errors.Is(errs[i], context.Canceled) || !vectors[i].IsZero() {
			t.Errorf("text %d: vector %v, error %v", i, vectors[i], errs[i])
		}
	}
	if _, err := e.EmbedQuery(ctx, "one"); !errors.Is(err, context.Canceled) {
		t.Errorf("query: error %v", err)
	}
}

// exact pools ids in float64, as the model's definition says.
func (e *Embedder) exact(ids []int32) (unit [Dims]float64) {
	counts := make(map[int32]float64)
	for _, id := range ids {
		counts[id]++
	}
	for id, tf := range counts {
		for d := range unit {
			unit[d] += math.Pow(tf, 0.75) * e.scales[id] * float64(int8(e.table[int(id)*Dims+d]))
		}
	}
	var sum float64
	for _, x := range unit {
		sum += x * x
	}
	for d := range unit {
		unit[d] /= math.Sqrt(sum)
	}
	return unit
}

func TestSumOfALongText_DoesNotOverflow(t *testing.T) {
	e := newEmbedder(t)
	all := make([]int32, len(e.scales))
	for i := range all {
		all[i] = int32(i)
	}
	for name, ids := range map[string][]int32{
		"every token":          all,
		"every token twice":    append(slices.Clone(all), all...),
		"one token":            {213},
		"one token many times": slices.Repeat([]int32{213}, 1_000_000),
		"a common and a rare":  append(slices.Repeat([]int32{0}, 100_000), 23_000),
	} {
		s := &scratch{ids: ids, counts: make([]uint32, len(e.scales))}
		if !e.pool(s) {
			t.Fatalf("%s: no direction", name)
		}
		want := e.exact(ids)
		for d := range want {
			// With 24,000 tokens the weights are rounded to about 1 in 700.
			if math.Abs(s.unit[d]-want[d]) > 5e-5 {
				t.Fatalf("%s: dimension %d is %.7f, want %.7f", name, d, s.unit[d], want[d])
			}
		}
		if slices.Max(s.counts) != 0 {
			t.Fatalf("%s: counts are left behind", name)
		}
	}
}

func TestConcurrentCalls_KeepTheirVectorsApart(t *testing.T) {
	e := newEmbedder(t)
	texts := []string{"open a file", "close the socket", "parse JSON", "retry with backoff", ""}
	want, _ := e.EmbedDocuments(t.Context(), texts)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				got, errs := e.EmbedDocuments(context.Background(), texts)
				for i := range got {
					if errs[i] != nil || got[i].Scale != want[i].Scale || !slices.Equal(got[i].Data, want[i].Data) {
						t.Errorf("%q: another vector, error %v", texts[i], errs[i])
						return
					}
				}
			}
		})
	}
	group.Wait()
}
