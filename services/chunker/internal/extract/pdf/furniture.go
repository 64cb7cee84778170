package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// margin is the share of a page's height, above and below, in which headers, footers and
// numbers of pages stand.
const margin = .1

// number is a line that says nothing but which page it is.
var number = regexp.MustCompile(`^(?i)[-–—\s(\[]*(page|seite|p\.|s\.)?\s*([0-9]{1,5}|[ivxlc]{1,7})(\s*(/|of|von)\s*[0-9]{1,5})?[-–—\s)\].]*$`)

// dropFurniture takes out what stands on the edge of pages again and again. It is for who
// holds the paper; on each page it would be found in place of the text.
func dropFurniture(pages []page) {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range pages {
		l, h := span(pages[i].runs)
		low, high = min(low, l), max(high, h)
	}
	room := (high - low) * margin
	low, high = low+room, high-room
	seen := map[string]int{}
	for i := range pages {
		for _, key := range edges(pages[i].runs, low, high) {
			seen[key]++
		}
	}
	often := max(3, len(pages)*2/5)
	for i := range pages {
		all := pages[i].runs
		pages[i].runs = slices.DeleteFunc(slices.Clone(all), func(r run) bool {
			return (r.bottom >= high || r.top <= low) && (seen[pattern(r.text)] >= often || len(all) > 1 && number.MatchString(strings.TrimSpace(r.text)) && !accompanied(all, &r))
		})
	}
}

// edges are the patterns on the edge of a page, each once.
func edges(runs []run, low, high float64) []string {
	var out []string
	for i := range runs {
		if r := &runs[i]; r.bottom >= high || r.top <= low {
			if key := pattern(r.text); !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

// accompanied reports whether a text stands near behind a number, which is that of a
// heading or of an item then.
func accompanied(runs []run, number *run) bool {
	return slices.ContainsFunc(runs, func(r run) bool {
		return r.left > number.left && r.left-number.right < 4*number.size && beside(&r, number)
	})
}

// pattern is a text with its numbers left out, so that those of pages are alike.
func pattern(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}
