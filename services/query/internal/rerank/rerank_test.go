package rerank

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestBlend_WeighsTheOrderBefore(t *testing.T) {
	for name, c := range map[string]struct {
		scores []float64
		weight float64
		want   []int
	}{
		"nothing":              {nil, .5, []int{}},
		"agreement":            {[]float64{3, 2, 1}, .5, []int{0, 1, 2}},
		"all alike":            {[]float64{1, 1, 1, 1}, .9, []int{0, 1, 2, 3}},
		"last is best":         {[]float64{3, 2, 1, 4}, .5, []int{0, 3, 1, 2}},
		"little weight":        {[]float64{1, 2, 3, 4}, .1, []int{0, 1, 2, 3}},
		"much weight":          {[]float64{1, 2, 3, 4}, .9, []int{3, 2, 1, 0}},
		"the scale is nothing": {[]float64{3e-9, 2e-9, 1e-9, 4e300}, .5, []int{0, 3, 1, 2}},
	} {
		if got := Blend(c.scores, c.weight); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRerankerWithoutItsFile_IsRefused(t *testing.T) {
	if r, err := New(config.Default().Query.Rerank); r != nil || err != nil {
		t.Errorf("nothing is chosen, and there is %v, %v", r, err)
	}
	if _, err := New(config.Rerank{Kind: TEI, CA: filepath.Join(t.TempDir(), "none.pem")}); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("a file that is not there: %v", err)
	}
}
