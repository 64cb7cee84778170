package lines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Bounds are what an answer may hold.
type Bounds struct {
	From, To  int // lines that are wanted, from 1; To 0: to the end
	Limit     int // lines
	LineBytes int // of one line
	MaxBytes  int // of all lines
	Room      int // bytes that they may take as JSON
}

// Taken are consecutive lines of a text.
type Taken struct {
	From, To int    // 0 where there is no line
	Text     []byte // with the line breaks
	Cut      []contract.ReadCut
	Next     int // the first wanted line that is not there, 0 for none
}

// Count returns how many lines a text has.
func Count(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// Take returns the wanted lines of a text, as many as fit. From must be a line of
// the text, unless that is empty.
func Take(text []byte, b Bounds) (Taken, error) {
	t := Taken{}
	at := skip(text, b.From-1)
	for n := b.From; at < len(text) && (b.To == 0 || n <= b.To); n++ {
		line := first(text[at:])
		shown := cut(line, b.LineBytes)
		size, err := encoded(shown)
		if err != nil {
			return t, err
		}
		if t.From > 0 && (n-t.From == b.Limit || len(t.Text)+len(shown) > b.MaxBytes || size > b.Room) {
			t.Next = n
			break
		}
		if t.From == 0 {
			t.From = n
			// The first is there in any case, as much of it as fits.
			if most := min(b.MaxBytes, b.Room/worstCase); len(shown) > most {
				shown = cut(line, most)
			}
		}
		if left := len(line) - len(shown); left > 0 {
			t.Cut = append(t.Cut, contract.ReadCut{Line: n, Left: left})
		}
		t.To, t.Text, b.Room = n, append(t.Text, shown...), b.Room-size
		at += len(line)
	}
	return t, nil
}

// worstCase is how many bytes of JSON a byte of text can become: \u003c.
const worstCase = 6

// skip returns where a text goes on behind n lines.
func skip(text []byte, n int) (at int) {
	for ; n > 0 && at < len(text); n-- {
		at += len(first(text[at:]))
	}
	return at
}

// first is the first line of a text, with its line break.
func first(text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// cut shortens a line to so many bytes besides its line break, at the border of a
// character.
func cut(line []byte, most int) []byte {
	ending := line[len(bytes.TrimRight(line, "\r\n")):]
	body := line[:len(line)-len(ending)]
	if len(body) <= most {
		return line
	}
	short := body[:most]
	for i := 1; i <= utf8.UTFMax && i <= len(short); i++ {
		if tail := short[len(short)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				short = short[:len(short)-i]
			}
			break
		}
	}
	return append(short[:len(short):len(short)], ending...)
}

// encoded is how many bytes a text takes as JSON.
func encoded(text []byte) (int, error) {
	js, err := json.Marshal(string(text))
	if err != nil {
		return 0, fmt.Errorf("encode a line: %w", err)
	}
	return max(len(js)-2, 4*(len(text)+2)/3), nil
}
