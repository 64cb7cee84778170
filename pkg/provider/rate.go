package provider

import (
	"net/http"
	"strconv"
	"time"
)

// spent is how long a server is to be left alone because what it grants for now is
// used up, by the headers that OpenAI, Azure and those who follow them send with
// each answer: what remains, and when it is full again. 0 where something is left,
// or nothing is said.
func spent(h http.Header) (wait time.Duration) {
	for _, of := range []string{"requests", "tokens"} {
		left, err := strconv.Atoi(h.Get("X-Ratelimit-Remaining-" + of))
		if err != nil || left > 0 {
			continue
		}
		wait = max(wait, resets(h.Get("X-Ratelimit-Reset-"+of)))
	}
	return min(wait, maxPause)
}

// resets reads how long until a limit is full again: "6m0s" and "20ms" as OpenAI
// writes it, or a number of seconds.
func resets(text string) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return max(d, 0)
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds < maxPause.Seconds() {
		return time.Duration(seconds * float64(time.Second))
	}
	return pause
}
