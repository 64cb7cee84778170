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
