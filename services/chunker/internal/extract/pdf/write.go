package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// sizes are those of a document's letters, in half points.
type sizes struct {
	body     float64
	headings []float64 // largest first
	bold     bool      // the body is bold, so that bold says nothing
}

// larger is how much larger than the body a heading is at least.
const larger = 1.15

// longest is how many bytes a heading has at most.
const longest = 160

func round(size float64) float64 { return math.Round(size*2) / 2 }

// measure finds the size of which there is most, and those that headings have.
func measure(pages []page) sizes {
	count := map[float64]int{}
	heavy, all := 0, 0
	for i := range pages {
		for k := range pages[i].runs {
			r := &pages[i].runs[k]
			count[round(r.size)] += len(r.text)
			if all += len(r.text); r.bold {
				heavy += len(r.text)
			}
		}
	}
	out := sizes{bold: heavy*2 > all}
	for size, n := range count {
		if n > count[out.body] || n == count[out.body] && size < out.body {
			out.body = size
		}
	}
	for size := range count {
		if size >= out.body*larger {
			out.headings = append(out.headings, size)
		}
	}
	slices.SortFunc(out.headings, func(a, b float64) int { return int(b*2) - int(a*2) })
	return out
}

// level is that of the heading that a line of text is, 0 for none.
func (s *sizes) level(r *run) int {
	if len(r.text) > longest || !strings.ContainsFunc(r.text, unicode.IsLetter) {
		return 0
	}
	if i := slices.Index(s.headings, round(r.size)); i >= 0 {
		return min(i+1, 6)
	}
	if r.bold && !s.bold && round(r.size) >= s.body && !strings.HasSuffix(r.text, ".") && len(r.text) <= longest/2 {
		return min(len(s.headings)+1, 6)
	}
	return 0
}

type writer struct {
	flow    *extract.Flow
	sizes   sizes
	written bool
}

func (w *writer) page(p *page) {
	rows := order(p.runs)
	gap := leading(rows)
	w.written = true
	for len(rows) > 0 {
		n := 1
		switch {
		case len(rows[0].runs) > 1:
			for n < len(rows) && len(rows[n].runs) > 1 && rows[n].column == rows[0].column {
				n++
			}
			w.table(rows[:n])
		case w.heading(rows) > 0:
			n = w.heading(rows)
			w.flow.Heading(w.sizes.level(&rows[0].runs[0]), joined(rows[:n]))
		case rows[0].runs[0].mono:
			for n < len(rows) && len(rows[n].runs) == 1 && rows[n].runs[0].mono && rows[n].column == rows[0].column {
				n++
			}
			w.code(rows[:n])
		default:
			for n < len(rows) && w.goesOn(rows[:n], &rows[n], gap) {
				n++
			}
			w.paragraph(rows[:n])
		}
		rows = rows[n:]
	}
}

// heading is of how many rows the heading is that comes first, 0 where none does.
func (w *writer) heading(rows []row) int {
	first := &rows[0].runs[0]
	level := w.sizes.level(first)
	if level == 0 {
		return 0
	}
	n, size := 1, len(first.text)
	for n < len(rows) && n < 3 && len(rows[n].runs) == 1 && w.sizes.level(&rows[n].runs[0]) == level && rows[n].column == rows[0].column &&
		rows[n-1].bottom()-rows[n].top() < .6*first.size && first.bold == rows[n].runs[0].bold {
		if size += len(rows[n].runs[0].text); size > longest {
			return 0
		}
		n++
	}
	// What is bold in the middle of a paragraph begins a line of it by accident.
	if round(first.size) < w.sizes.body*larger && n < len(rows) && !first.alone(&rows[n]) {
		return 0
	}
	return n
}

// alone reports whether a line ends well before the one below it does, or stands apart.
func (r *run) alone(next *row) bool {
	return next.runs[0].bold != r.bold || r.bottom-next.top() > .6*r.size || next.column > 0 && r.right < next.right()-3*r.size
}

// leading is the usual gap between the lines of a paragraph on a page, in ems.
func leading(rows []row) float64 {
	var gaps []float64
	for i := 1; i < len(rows); i++ {
		a, b := &rows[i-1], &rows[i]
		if a.column == b.column && round(a.size()) == round(b.size()) {
			if gap := (a.bottom() - b.top()) / a.size(); gap > -.5 && gap < 2 {
				gaps = append(gaps, gap)
			}
		}
	}
	if len(gaps) == 0 {
		return .3
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// goesOn reports whether a row belongs to the paragraph before it.
func (w *writer) goesOn(before []row, next *row, gap float64) bool {
	last := &before[len(before)-1]
	if len(next.runs) != 1 || next.runs[0].mono || marked(head(next.runs[0].text)) || math.Abs(next.size()-last.size()) > 1 || w.sizes.level(&next.runs[0]) > 0 && next.size() > w.sizes.body*larger {
		return false
	}
	text := strings.TrimRight(last.runs[0].text, " ")
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next.runs[0].text, " "))
	if last.column != next.column {
		return unicode.IsLower(first) && !strings.HasSuffix(text, ".") || hyphened(text)
	}
	em := last.size()
	if (last.bottom()-next.top())/em > max(.55, gap+.3) {
		return false
	}
	left := last.left()
	if len(before) == 1 {
		// The first line is indented, or stands out by its mark.
		if next.left() < left-4*em || next.left() > left+4*em || next.left() > left+.8*em && !marked(head(text)) {
			return false
		}
	} else if math.Abs(next.left()-left) > .8*em {
		return false
	}
	short := last.right() < last.edge-8*em
	return !short || unicode.IsLower(first)
}

// item is what a list has before its items.
var item = regexp.MustCompile(`^([•◦▪▫‣●○■□∙·*–—-]|[0-9]{1,2}[.)]|[a-z][.)])$`)

func marked(text string) bool { return item.MatchString(strings.TrimSpace(text)) }

// head is the first word of a text.
func head(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

func (w *writer) paragraph(rows []row) {
	text := joined(rows)
	if mark, rest, ok := strings.Cut(text, " "); ok && marked(mark) {
		if first, _ := utf8.DecodeRuneInString(mark); !unicode.IsLetter(first) && !unicode.IsDigit(first) {
			mark = "-"
		}
		w.flow.Item(0, mark, rest)
		return
	}
	w.flow.Paragraph(text)
}

// code keeps the lines and their indentation.
func (w *writer) code(rows []row) {
	left := math.Inf(1)
	for i := range rows {
		left = min(left, rows[i].left())
	}
	var out strings.Builder
	for i := range rows {
		r := &rows[i].runs[0]
		out.WriteString(strings.Repeat(" ", min(60, int((r.left-left)/(.6*r.size)+.5))) + strings.ReplaceAll(r.text, softHyphen, "-") + "\n")
	}
	w.flow.Fenced(out.String())
}

// table writes rows of several runs: as a table where there are several of them.
func (w *writer) table(rows []row) {
	var cells [][]string
	for i := range rows {
		var line []string
		for k := range rows[i].runs {
			line = append(line, strings.ReplaceAll(rows[i].runs[k].text, softHyphen, "-"))
		}
		cells = append(cells, line)
	}
	if len(rows) == 1 {
		w.flow.Paragraph(strings.Join(cells[0], "  "))
		return
	}
	w.flow.Table(cells)
}

func hyphened(text string) bool {
	return strings.HasSuffix(text, softHyphen) || strings.HasSuffix(text, "-") || strings.HasSuffix(text, "‐")
}

// joined makes one line of several, and whole words of those that were divided.
func joined(rows []row) string {
	var out strings.Builder
	for i := range rows {
		text := strings.Join(strings.Fields(rows[i].runs[0].text), " ")
		if i == len(rows)-1 {
			out.WriteString(text)
			break
		}
		first, _ := utf8.DecodeRuneInString(strings.TrimSpace(rows[i+1].runs[0].text))
		if !hyphened(text) || !unicode.IsLower(first) {
			out.WriteString(text + " ")
			continue
		}
		_, size := utf8.DecodeLastRuneInString(text)
		stem := text[:len(text)-size]
		if before, _ := utf8.DecodeLastRuneInString(stem); !unicode.IsLetter(before) {
			out.WriteString(text)
			continue
		}
		out.WriteString(stem)
	}
	return strings.ReplaceAll(out.String(), softHyphen, "-")
}
