package lines_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/services/query/internal/lines"
)

const wide = 1 << 20

func TestTakenLines_AreThoseOfTheText(t *testing.T) {
	for _, c := range []struct {
		text     string
		bounds   lines.Bounds
		from, to int
		want     string
		next     int
		cut      string
	}{
		{"", lines.Bounds{From: 1}, 0, 0, "", 0, "[]"},
		{"\n", lines.Bounds{From: 1}, 1, 1, "\n", 0, "[]"},
		{"a\nb\nc", lines.Bounds{From: 1}, 1, 3, "a\nb\nc", 0, "[]"},
		{"a\nb\nc\n", lines.Bounds{From: 2, To: 2}, 2, 2, "b\n", 0, "[]"},
		{"a\r\nb\r\n", lines.Bounds{From: 2}, 2, 2, "b\r\n", 0, "[]"},
		{"a\nb\nc\n", lines.Bounds{From: 2, To: 9}, 2, 3, "b\nc\n", 0, "[]"},
		{"a\nb\nc\n", lines.Bounds{From: 1, Limit: 2}, 1, 2, "a\nb\n", 3, "[]"},
		{"a\nb\nc\n", lines.Bounds{From: 1, To: 2, Limit: 2}, 1, 2, "a\nb\n", 0, "[]"},
		{"a\nb\nc\n", lines.Bounds{From: 1, MaxBytes: 4}, 1, 2, "a\nb\n", 3, "[]"},
		{"abcdef\nb\n", lines.Bounds{From: 1, LineBytes: 3}, 1, 2, "abc\nb\n", 0, "[{1 3}]"},
		{"aé\r\nb", lines.Bounds{From: 1, LineBytes: 2}, 1, 2, "a\r\nb", 0, "[{1 2}]"},
		{"abcdef\nb\n", lines.Bounds{From: 1, MaxBytes: 2}, 1, 1, "ab\n", 2, "[{1 4}]"},
		{"<<<<<<<<\nb\n", lines.Bounds{From: 1, Room: 24}, 1, 1, "<<<<\n", 2, "[{1 4}]"},
	} {
		for _, bound := range []*int{&c.bounds.Limit, &c.bounds.LineBytes, &c.bounds.MaxBytes, &c.bounds.Room} {
			if *bound == 0 {
				*bound = wide
			}
		}
		got, err := lines.Take([]byte(c.text), c.bounds)
		if err != nil || got.From != c.from || got.To != c.to || string(got.Text) != c.want || got.Next != c.next || fmt.Sprint(got.Cut) != c.cut {
			t.Errorf("%q by %+v: %+v (%q), %v", c.text, c.bounds, got, got.Text, err)
		}
	}
}

// Whoever goes on with the line that is named has the whole text in the end.
func TestGoingOn_GivesEachLineOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString(strings.Repeat("é<x", random.IntN(6)))
			b.WriteByte("\n\n\nz"[random.IntN(4)])
		}
		text, all := b.String(), ""
		for next := 1; next > 0; {
			got, err := lines.Take([]byte(text), lines.Bounds{From: next, Limit: 1 + random.IntN(5), LineBytes: wide, MaxBytes: 400 + random.IntN(100), Room: 3000})
			if err != nil || got.Next != 0 && got.Next <= next {
				t.Fatalf("%+v, %v", got, err)
			}
			all, next = all+string(got.Text), got.Next
		}
		if all != text {
			t.Fatalf("%q became %q", text, all)
		}
	}
}

func TestLines_AreCounted(t *testing.T) {
	for text, want := range map[string]int{"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2, "a\r\nb\r\n": 2} {
		if got := lines.Count([]byte(text)); got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
}
