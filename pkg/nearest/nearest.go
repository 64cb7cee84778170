// Package nearest finds the name that a person meant.
package nearest

// Of returns the candidate that differs from name in the fewest single
// edits (insert, delete, replace, swap of neighbours), if a person could have
// meant it: at most one edit for three characters, and one in any case.
func Of(name string, candidates []string) (string, bool) {
	return Within(max(1, len(name)/3), name, candidates)
}

// Within returns the nearest candidate that differs in at most so many edits.
func Within(edits int, name string, candidates []string) (string, bool) {
	best, least := "", edits+1
	for _, c := range candidates {
		if d := distance(name, c); d < least {
			best, least = c, d
		}
	}
	return best, best != ""
}

// distance is the restricted Damerau–Levenshtein distance in bytes ("optimal
// string alignment").
func distance(a, b string) int {
	before := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
