//go:build evaltmp

package query

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

var defRe = regexp.MustCompile(`(?m)^\s*(?:pub(?:\([a-z]+\))?\s+|export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|final\s+|abstract\s+|async\s+|open\s+|sealed\s+|case\s+|implicit\s+|override\s+|local\s+|inline\s+|extern\s+|unsafe\s+|const\s+fn\s+)*(?:func|function|fn|def|class|struct|enum|trait|interface|type|object|module|impl|protocol|extension|data|newtype|macro_rules!)\s+(?:\([^)]*\)\s*)?([A-Za-z_][\w.:?!]*)`)

type task struct {
	ID, Repo, Query, Category string
	N                         int
	Relevant                  []string
	Root                      string
}

type evalRepo struct {
	lex   *postings.Store
	vec   *flat.Store
	tasks []task
}

var depth = func() int { d := 75; fmt.Sscan(os.Getenv("DEPTH"), &d); return d }()

func TestEvalTmp(t *testing.T) {
	an := analysis.New()
	model, _ := static.New()
	f, _ := os.Open("/work/shared/bench/tasks-dev.jsonl")
	repos := map[string]*evalRepo{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var k task
		json.Unmarshal(sc.Bytes(), &k)
		if _, err := os.Stat("/tmp/bench/" + k.Repo); err != nil {
			continue
		}
		if repos[k.Repo] == nil {
			repos[k.Repo] = loadEval(t, an, model, k.Repo, k.Root)
		}
		repos[k.Repo].tasks = append(repos[k.Repo].tasks, k)
	}
	type cached struct {
		k    task
		l, v []candidate.Found
	}
	var all []cached
	conv := func(h []store.Hit) []candidate.Found {
		out := make([]candidate.Found, len(h))
		for i, x := range h {
			out[i] = candidate.Found{ID: x.ID, Score: x.Score, Attrs: x.Attrs}
		}
		return out
	}
	for _, r := range repos {
		for _, k := range r.tasks {
			var terms []store.Term
			for _, x := range an.Query(k.Query) {
				terms = append(terms, store.Term{Token: x.Token, Weight: x.Weight})
			}
			l, _ := r.lex.Search(context.Background(), terms, store.Filter{}, depth)
			qv, _ := model.EmbedQuery(context.Background(), k.Query)
			v, _ := r.vec.Search(context.Background(), qv, store.Filter{}, depth)
			all = append(all, cached{k, conv(l), conv(v)})
		}
	}
	eval := func(name string, w rank.Weights, useL, useV, sig bool) {
		w.SetDefaults()
		file, chunk, n := 0.0, 0.0, 0
		cat := map[string][2]float64{}
		for _, c := range all {
			q := rank.NewQuery(c.k.Query, an)
			var ls rank.Lists
			if useL {
				ls.Lexical = append([]candidate.Found(nil), c.l...)
			}
			if useV {
				ls.Vector = append([]candidate.Found(nil), c.v...)
			}
			cands := rank.Fuse(ls, q.Class, &w)
			rank.Signals(cands, q, &w, !sig)
			// per file cap two
			var ranked []string
			cnt := map[string]int{}
			for _, x := range cands {
				p := string(x.Attrs.Path)
				if cnt[p]++; cnt[p] <= 2 && len(ranked) < 10 {
					ranked = append(ranked, p)
				}
			}
			a, b := ndcg(cands, nil, c.k), ndcg(nil, ranked, c.k)
			file += a
			chunk += b
			n++
			e := cat[c.k.Category]
			cat[c.k.Category] = [2]float64{e[0] + a, e[1] + 1}
		}
		s := ""
		for k, e := range cat {
			s += fmt.Sprintf(" %s=%.3f", k, e[0]/e[1])
		}
		fmt.Printf("%-40s n=%d file=%.4f chunk=%.4f%s\n", name, n, file/float64(n), chunk/float64(n), s)
	}
	eval("lex", rank.Weights{}, true, false, false)
	eval("vec", rank.Weights{}, false, true, false)
	for _, fu := range []string{"rrf", "convex"} {
		eval(fu, rank.Weights{Fusion: fu}, true, true, false)
		eval(fu+"+signals", rank.Weights{Fusion: fu}, true, true, true)
		for _, off := range []string{"definition", "path", "stem", "directory", "coherence", "penalty", "saturation"} {
			eval(fu+"-"+off, rank.Weights{Fusion: fu, Off: []string{off}}, true, true, true)
		}
	}
	evalMore(eval)
	for _, r := range repos {
		r.lex.Close()
		r.vec.Close()
	}
}

func ndcg(c []candidate.Candidate, ranked []string, k task) float64 {
	if ranked == nil {
		seen := map[string]bool{}
		for _, x := range c {
			p := string(x.Attrs.Path)
			if !seen[p] {
				seen[p] = true
				ranked = append(ranked, p)
			}
		}
	}
	rel := map[string]bool{}
	for _, r := range k.Relevant {
		rel[r] = true
	}
	dcg, ideal := 0.0, 0.0
	hit := map[string]bool{}
	for i, p := range ranked {
		if i >= 10 {
			break
		}
		full := p
		if rel[full] && !hit[full] {
			hit[full] = true
			dcg += 1 / math.Log2(float64(i)+2)
		}
	}
	for i := 0; i < min(k.N, 10); i++ {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	return dcg / ideal
}

func loadEval(t *testing.T, an *analysis.Analyzer, model *static.Embedder, repo, root string) *evalRepo {
	lex, _ := postings.Open(t.TempDir(), postings.Options{})
	vec, _ := flat.Open(t.TempDir(), model.Dims(), flat.Options{})
	base := "/tmp/bench/" + repo
	filepath.WalkDir(filepath.Join(base, root), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		raw, _ := os.ReadFile(p)
		if len(raw) > 1<<20 || bytes.IndexByte(raw, 0) >= 0 {
			return nil
		}
		switch filepath.Ext(p) {
		case ".md", ".json", ".txt", ".lock", ".yml", ".yaml", ".toml", "":
			if filepath.Ext(p) != "" {
				return nil
			}
		}
		rel, _ := filepath.Rel(base, p)
		path := document.Path(rel)
		doc := document.DocOf(path)
		var lb store.LexicalBatch
		var vb store.VectorBatch
		var comp []string
		var ids []document.ChunkID
		var at []store.Attrs
		for start, n := 0, 0; start < len(raw); n++ {
			end := min(len(raw), start+1500)
			if i := bytes.LastIndexByte(raw[start:end], '\n'); i > 0 && end < len(raw) {
				end = start + i + 1
			}
			text := raw[start:end]
			span := document.Span{}
			attrs := store.Attrs{Source: "s", Doc: doc, Path: path}
			if m := defRe.FindSubmatch(text); m != nil {
				attrs.Symbol, attrs.Kind = string(m[1]), document.KindFunction
			}
			id := document.NewChunkID("s", path, document.HashOf(text), n, 1)
			lb.Put = append(lb.Put, store.LexicalEntry{ID: id, Attrs: attrs, Tokens: an.Passage(path, &span, text, false)})
			comp = append(comp, embed.Compose(path, &span, text))
			ids, at = append(ids, id), append(at, attrs)
			start = end
		}
		vs, _ := model.EmbedDocuments(context.Background(), comp)
		for i, v := range vs {
			if !v.IsZero() {
				vb.Put = append(vb.Put, store.VectorEntry{ID: ids[i], Attrs: at[i], Vector: v})
			}
		}
		lex.Apply(context.Background(), lb)
		vec.Apply(context.Background(), vb)
		return nil
	})
	lex.Refresh(context.Background())
	vec.Refresh(context.Background())
	_ = strings.ToLower
	return &evalRepo{lex: lex, vec: vec}
}

func evalMore(eval func(string, rank.Weights, bool, bool, bool)) {
	for _, fu := range []string{"rrf", "convex"} {
		for _, v := range []float64{.3, .4, .5, .6, .8} {
			eval(fmt.Sprint(fu, " natural ", v), rank.Weights{Fusion: fu, VectorNatural: v}, true, true, true)
		}
		for _, v := range []float64{.15, .5} {
			eval(fmt.Sprint(fu, " symbol ", v), rank.Weights{Fusion: fu, VectorSymbol: v}, true, true, true)
		}
		for _, v := range []float64{.3, .4, .7, 1} {
			eval(fmt.Sprint(fu, " stem ", v), rank.Weights{Fusion: fu, Stem: v}, true, true, true)
		}
		for _, v := range []float64{.2, .5, .8} {
			eval(fmt.Sprint(fu, " coherence ", v), rank.Weights{Fusion: fu, Coherence: v}, true, true, true)
		}
		for _, v := range []float64{.25, 1} {
			eval(fmt.Sprint(fu, " penaltypower ", v), rank.Weights{Fusion: fu, PenaltyPower: v}, true, true, true)
		}
		for _, v := range []float64{.05, .3, .5} {
			eval(fmt.Sprint(fu, " definition ", v), rank.Weights{Fusion: fu, Definition: v}, true, true, true)
		}
	}
}
