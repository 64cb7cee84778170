package secrets

import "testing"

// Each rule of the file is read, and each expression is one of Go's: they are compiled
// when they are first needed.
func TestEveryRule_CanBeUsed(t *testing.T) {
	rules, err := parse(gitleaks)
	if err != nil {
		t.Fatal(err)
	}
	if len(rules) < 200 {
		t.Errorf("there are %d rules", len(rules))
	}
	for _, r := range append(append(rules, own()...), personal()...) {
		if r.id == "" || r.expr().NumSubexp() < r.group {
			t.Errorf("rule %+v", r)
		}
	}
}

func TestFileOfRulesThatCannotBeRead_IsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no setting":                    "a\n",
		"a text that does not end":      "a = '''b\n",
		"a list that does not end":      "a = [\n'''b''',\n",
		"an unknown value":              "a = 2024-01-01\n",
		"something behind a value":      "a = 'b' c\n",
		"an allowlist of no expression": "[allowlist]\nregexes = [\n    '''(''',\n]\n",
		"entropy that is no number":     "[[rules]]\nid = \"a\"\nentropy = \"b\"\n",
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
