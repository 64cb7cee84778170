package quality

import (
	"math"
	"slices"
	"strings"
)

// depth is the k of NDCG@k.
const depth = 10

// NDCG returns NDCG@10 of a ranked list of paths for a task, from 0 to 1, with
// binary gain and the discount log2(rank + 1) (Järvelin and Kekäläinen, 2002,
// in the form that starts to discount at rank 2). The ideal has min(N, 10)
// hits, also where not all targets are known, and one rank earns one gain.
// With distinct a file counts once, at its best rank; without, ranks are those
// of the list as given, one entry a passage.
func NDCG(paths []string, task Task, distinct bool) float64 {
	got := make([]string, 0, len(paths))
	for _, p := range paths {
		p = plain(p)
		if !distinct || !slices.Contains(got, p) {
			got = append(got, p)
		}
	}
	ranks := map[int]bool{}
	for _, want := range task.Relevant {
		want = plain(want)
		for i, p := range got[:min(len(got), depth)] {
			if p == want || strings.HasSuffix(p, "/"+want) || rooted(p, task.Root) == want {
				ranks[i+1] = true
				break
			}
		}
	}
	var gain, ideal float64
	for rank := 1; rank <= depth; rank++ {
		if ranks[rank] {
			gain += 1 / math.Log2(float64(rank+1))
		}
		if rank <= task.N {
			ideal += 1 / math.Log2(float64(rank+1))
		}
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

// plain returns a path with forward slashes and without "./" in front.
func plain(p string) string {
	p = strings.ReplaceAll(p, "\\", "/")
	for strings.HasPrefix(p, "./") {
		p = p[2:]
	}
	return p
}

// rooted returns the path relative to the repository of one that is relative
// to its indexed folder.
func rooted(p, root string) string {
	if root = strings.Trim(root, "/"); root == "" {
		return p
	}
	return root + "/" + p
}
