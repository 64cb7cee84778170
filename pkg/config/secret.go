package config

import "regexp"

// Secret is a setting that is neither printed nor logged; only Reveal gives it.
type Secret string

// hidden stands where a secret would.
const hidden = "(secret)"

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns a placeholder, or "" where nothing is set.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString does as String.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText does as String, for JSON and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// users is what stands before the @ of a URL, in a list separated by commas.
var users = regexp.MustCompile(`://[^,]*@`)

// hideUser takes users and passwords out of URLs that are to be seen.
func hideUser(text string) string { return users.ReplaceAllString(text, "://"+hidden+"@") }
