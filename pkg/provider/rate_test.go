package provider

import (
	"net/http"
	"testing"
	"time"
)

func TestLimitThatIsUsedUp_IsSeen(t *testing.T) {
	for _, c := range []struct {
		headers map[string]string
		want    time.Duration
	}{
		{nil, 0},
		{map[string]string{"x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-tokens": "149984", "x-ratelimit-reset-tokens": "6m0s"}, 0},
		{map[string]string{"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20ms"}, 20 * time.Millisecond},
		{map[string]string{"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, maxPause},
		{map[string]string{"x-ratelimit-remaining-tokens": "-3", "x-ratelimit-reset-tokens": "7"}, 7 * time.Second},
		{map[string]string{"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "NaN"}, pause},
		{map[string]string{"x-ratelimit-remaining-tokens": "0"}, pause},
		{map[string]string{"x-ratelimit-remaining-tokens": "many", "x-ratelimit-reset-tokens": "1s"}, 0},
	} {
		h := http.Header{}
		for k, v := range c.headers {
			h.Set(k, v)
		}
		if got := spent(h); got != c.want {
			t.Errorf("%v: %s, want %s", c.headers, got, c.want)
		}
	}
}
