package secrets

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed gitleaks.toml
var gitleaks string

// rule is one kind of secret.
type rule struct {
	id string
	// keywords, in lower case: without one of them the expression is not tried. None: always.
	keywords []string
	expr     func() *regexp.Regexp // compiled when it is first needed
	// named says that the secret stands behind a name with one of the keywords and an
	// equals sign or the like, which is most rules.
	named   bool
	may     func(text string) bool  // a quick look whether it can match at all; nil: it can
	group   int                     // that is the secret; 0: the first that matched
	entropy float64                 // bits for each letter below which it is none
	valid   func(secret string) int // how much of it is one; nil: all
	allowed []allowlist
}

// namedBegin is what the expressions of such rules begin with.
const namedBegin = `(?i)[\w.-]{0,50}?(?:`

// run reports whether n letters of a kind stand side by side.
func run(text string, of func(byte) bool, n int) bool {
	length := 0
	for i := range len(text) {
		if length++; !of(text[i]) {
			length = 0
		}
		if length == n {
			return true
		}
	}
	return false
}

func base64Letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}

// numberLetter are those of long numbers, which have capitals in them and spaces.
func numberLetter(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == ' ' || c == '-'
}

// allowlist says what is no secret although a rule found it.
type allowlist struct {
	target string // "": the secret; match, line
	exprs  []*regexp.Regexp
	words  []string // in lower case
}

// compiled compiles an expression when it is first needed: of some two hundred a text
// needs a few, and some take a millisecond.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// own are rules that gitleaks does not have: of a private key a passage may have the
// middle, and passwords stand in addresses.
func own() []*rule {
	return []*rule{
		{id: "private-key-begin", keywords: []string{"-----begin"}, expr: compiled(`(?i)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:\s*(?:Proc-Type|DEK-Info|Version|Comment):[^\n]*)*(?:(?:\\n|[\s"'>|#*])*[A-Za-z0-9+/=]{16,})*`)},
		{id: "private-key-part", may: func(text string) bool { return run(text, base64Letter, 64) }, expr: compiled(`(?:\b[A-Za-z0-9+/]{64}\b(?:\\n|[\s"'>|#*])+){3,}(?:[A-Za-z0-9+/]+={0,2})?`)},
		{id: "password-in-address", keywords: []string{"://"}, expr: compiled(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/@"'<>]{3,})@`)},
	}
}

// personal are personal data.
func personal() []*rule {
	return []*rule{
		{id: "e-mail", keywords: []string{"@"}, expr: compiled(`\b[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}\b`)},
		{id: "iban", may: func(text string) bool { return run(text, numberLetter, 15) }, expr: compiled(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b`), valid: iban},
		{id: "payment-card", may: func(text string) bool { return run(text, numberLetter, 13) }, expr: compiled(`\b\d(?:[ -]?\d){12,18}\b`), valid: card},
	}
}

// parse reads gitleaks' rules. Those that look at paths alone are left out, and so is
// what an allowlist says of paths: a text that leaves is read wherever it stood.
func parse(text string) ([]*rule, error) {
	var rules []*rule
	var global allowlist
	tables, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		switch t.name {
		case "allowlist":
			if global, err = allowlistOf(t); err != nil {
				return nil, err
			}
		case "rules":
			r, err := ruleOf(t)
			if err != nil {
				return nil, err
			}
			rules = append(rules, r)
		case "rules.allowlists":
			a, err := allowlistOf(t)
			if err != nil {
				return nil, err
			}
			if r := rules[len(rules)-1]; t.values["condition"] == nil { // AND is one with a path
				r.allowed = append(r.allowed, a)
			}
		}
	}
	kept := rules[:0]
	for _, r := range rules {
		if r.expr != nil {
			r.allowed = append(r.allowed, global)
			kept = append(kept, r)
		}
	}
	return kept, nil
}

func ruleOf(t table) (*rule, error) {
	r := &rule{id: one(t, "id")}
	for _, k := range t.values["keywords"] {
		r.keywords = append(r.keywords, strings.ToLower(k))
	}
	if expr := one(t, "regex"); expr != "" {
		r.expr = compiled(expr)
		r.named = strings.HasPrefix(expr, namedBegin) && !strings.Contains(expr, `|\b(`)
	}
	var err error
	if s := one(t, "entropy"); s != "" {
		if r.entropy, err = strconv.ParseFloat(s, 64); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.id, err)
		}
	}
	if s := one(t, "secretGroup"); s != "" {
		if r.group, err = strconv.Atoi(s); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.id, err)
		}
	}
	return r, nil
}

func allowlistOf(t table) (allowlist, error) {
	a := allowlist{target: one(t, "regexTarget")}
	for _, expr := range t.values["regexes"] {
		re, err := regexp.Compile(expr)
		if err != nil {
			return a, fmt.Errorf("allowlist: %w", err)
		}
		a.exprs = append(a.exprs, re)
	}
	for _, w := range t.values["stopwords"] {
		a.words = append(a.words, strings.ToLower(w))
	}
	return a, nil
}

func one(t table, key string) string {
	if v := t.values[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// allows reports whether what was found is no secret.
func (a allowlist) allows(secret, match, line string) bool {
	target := secret
	switch a.target {
	case "match":
		target = match
	case "line":
		target = line
	}
	for _, re := range a.exprs {
		if re.MatchString(target) {
			return true
		}
	}
	lower := strings.ToLower(secret)
	for _, w := range a.words {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits for each letter, as gitleaks computes it.
func entropy(s string) (out float64) {
	counts, n := map[rune]int{}, 0
	for _, r := range s {
		counts[r]++
		n++
	}
	for _, c := range counts {
		p := float64(c) / float64(n)
		out -= p * math.Log2(p)
	}
	return out
}

// card reports whether digits are the number of a payment card, by its check digit
// (Luhn).
func card(s string) int {
	sum, n := 0, 0
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] < '0' || s[i] > '9' {
			continue
		}
		d := int(s[i] - '0')
		if n%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum, n = sum+d, n+1
	}
	if sum%10 != 0 || sum == 0 {
		return 0
	}
	return len(s)
}

// iban is how much of a text is the number of a bank account, by its check digits (ISO
// 7064, mod 97-10): words in capitals may follow it.
func iban(s string) int {
	for ; len(s) >= 15; s = strings.TrimRight(s[:len(s)-1], " ") {
		number := strings.ReplaceAll(s, " ", "")
		rest := 0
		for _, c := range number[4:] + number[:4] {
			if c >= 'A' {
				rest = (rest*100 + int(c-'A') + 10) % 97
			} else {
				rest = (rest*10 + int(c-'0')) % 97
			}
		}
		if rest == 1 && len(number) >= 15 && len(number) <= 34 {
			return len(s)
		}
	}
	return 0
}
