package provider

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter_IsReadInAllItsForms(t *testing.T) {
	for header, want := range map[string][2]time.Duration{
		"":                     {pause, pause},
		"soon":                 {pause, pause},
		"-5":                   {pause, pause},
		"0":                    {0, 0},
		"7":                    {7 * time.Second, 7 * time.Second},
		"86400":                {maxPause, maxPause},
		"99999999999999999999": {pause, pause},
		time.Now().Add(40 * time.Second).UTC().Format(http.TimeFormat): {30 * time.Second, 40 * time.Second},
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat):       {0, 0},
	} {
		if got := retryAfter(header); got < want[0] || got > want[1] {
			t.Errorf("%q: %s", header, got)
		}
	}
}

func TestAddressOfAServer_KeepsItsPathAndQuery(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:8080":                                 "http://127.0.0.1:8080/chat",
		"http://127.0.0.1:8080/v1/":                             "http://127.0.0.1:8080/v1/chat",
		"https://host/openai/deployments/d?api-version=2024-10": "https://host/openai/deployments/d/chat?api-version=2024-10",
	} {
		if got := Over(nil, Server{URL: url}, "/chat").target(); got != want {
			t.Errorf("%s: asked %s, want %s", url, got, want)
		}
	}
}
