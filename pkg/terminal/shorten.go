package terminal

import "unicode/utf8"

// Shorten cuts a text to n characters, the last of which says so.
func Shorten(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:n-1]) + "…"
}

// ShortenStart cuts a text to its last n characters, the first of which says so: the
// end of a path tells it from others.
func ShortenStart(text string, n int) string {
	count := utf8.RuneCountInString(text)
	if count <= n {
		return text
	}
	return "…" + string([]rune(text)[count-n+1:])
}
