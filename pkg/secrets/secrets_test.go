package secrets_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/secrets"
)

func scanner(t testing.TB, personal bool) *secrets.Scanner {
	t.Helper()
	s, err := secrets.NewScanner(personal)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// key is a private key as a tool writes it; of no lock.
var key = "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEAx3zq0vJ2w8S1kQ9dL4mN7bT5yR6uE0iO2pA8sD1fG3hJ4kL9\n", 20) + "-----END RSA PRIVATE KEY-----\n"

// Tests say what a text is after what must not leave was taken out.
func TestSecretsInTexts_AreTakenOut(t *testing.T) {
	s := scanner(t, false)
	for name, c := range map[string]struct{ text, want string }{
		"a key of a cloud":               {"aws_access_key_id = AKIA" + "Y3FDFDP5QZ7KTBWN\nregion = eu\n", "aws_access_key_id = [redacted]\nregion = eu\n"},
		"a token of a forge":             {"git clone https://x-access-token:ghp_" + "8sKd72mQzX0wLr5TnBv1YcHe3JpUa6Gf4iRo@github.com/a/b", "git clone https://x-access-token:[redacted]@github.com/a/b"},
		"a password by its name":         {`db_password: "9fK2vQx7ZpL4mT1w"` + "\nport: 5432\n", `db_password: [redacted]` + "\nport: 5432\n"},
		"a password in an address":       {"dsn: postgres://app:tr0ub4dor@db.internal/prod", "dsn: postgres://app:[redacted]@db.internal/prod"},
		"a private key":                  {"the key:\n" + key + "and so on", "the key:\n[redacted]\nand so on"},
		"a private key that breaks off":  {"the key:\n" + key[:400], "the key:\n[redacted]"},
		"the middle of a private key":    {strings.SplitAfterN(key, "\n", 3)[2][:650], "[redacted]"},
		"a key within a text":            {"k := `" + strings.ReplaceAll(key[:600], "\n", `\n`) + "`", "k := `[redacted]`"},
		"nothing":                        {"func Token(key string) error { return nil }\n", "func Token(key string) error { return nil }\n"},
		"a place where a secret is read": {"password: ${DB_PASSWORD}\nkey: ${{ secrets.DEPLOY_KEY }}\n", "password: ${DB_PASSWORD}\nkey: ${{ secrets.DEPLOY_KEY }}\n"},
		"an example that says so":        {"aws_access_key_id = AKIAIOSFODNN7EXAMPLE", "aws_access_key_id = AKIAIOSFODNN7EXAMPLE"},
		"a commit and a checksum":        {"commit 3fbe39f1813681d0f38b94851e95595ce696d85a\nsha256 " + strings.Repeat("0a1b2c3d", 8) + "\n", "commit 3fbe39f1813681d0f38b94851e95595ce696d85a\nsha256 " + strings.Repeat("0a1b2c3d", 8) + "\n"},
		"an address of a person":         {"write to ada@example.org", "write to ada@example.org"},
	} {
		if got := secrets.Redact(c.text, s.Find(c.text)); got != c.want {
			t.Errorf("%s: %q is left of %q, want %q: %v", name, got, c.text, c.want, s.Find(c.text))
		}
	}
}

func TestPersonalData_AreTakenOutWhereThatIsAskedFor(t *testing.T) {
	s := scanner(t, true)
	for name, c := range map[string]struct{ text, want string }{
		"an address":           {"write to Ada <ada.k@mail.example.org>, or call", "write to Ada <[redacted]>, or call"},
		"a bank account":       {"IBAN DE89 3704 0044 0532 0130 00 BIC COBADEFFXXX", "IBAN [redacted] BIC COBADEFFXXX"},
		"no bank account":      {"IBAN DE88 3704 0044 0532 0130 00", "IBAN DE88 3704 0044 0532 0130 00"},
		"a card":               {"paid with 4111 1111 1111 1111 on Monday", "paid with [redacted] on Monday"},
		"a number of an order": {"order 4111 1111 1111 1112", "order 4111 1111 1111 1112"},
	} {
		if got := secrets.Redact(c.text, s.Find(c.text)); got != c.want {
			t.Errorf("%s: %q is left of %q, want %q", name, got, c.text, c.want)
		}
	}
}

// A passage may begin between the name of a password and the password, and have the
// middle of a key.
func TestSecretAcrossTheBorderOfAPassage_IsTakenOut(t *testing.T) {
	s := scanner(t, false)
	text := `{"user": "app", "db_password": "9fK2vQx7ZpL4mT1wR8", "port": 5432}`
	d := s.Of(text)
	at := strings.Index(text, "9fK2") + 4
	for name, part := range map[string][2]int{"before": {0, at}, "behind": {at, len(text)}} {
		if got := secrets.Redact(text[part[0]:part[1]], d.In(part[0], part[1])); strings.Contains(got, "9fK2") || strings.Contains(got, "vQx7") || !strings.Contains(got, secrets.Redacted) {
			t.Errorf("%s the border %q is left", name, got)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("password = 9fK2vQx7ZpL4mT1w", 3, 9)
	f.Add(key, 100, 300)
	f.Add("DE89 3704 0044 0532 0130 00 4111111111111111 a@b.cd", 0, 40)
	s := scanner(f, true)
	f.Fuzz(func(t *testing.T, text string, start, end int) {
		if start < 0 || end < start || end > len(text) {
			return
		}
		at := 0
		for _, found := range s.Of(text).In(start, end) {
			if found.Start < at || found.End <= found.Start || found.End > end-start {
				t.Fatalf("%v of %d bytes, behind %d", found, end-start, at)
			}
			at = found.End
		}
	})
}

func BenchmarkFind(b *testing.B) {
	s := scanner(b, true)
	text := strings.Repeat("func (s *Service) Token(ctx context.Context, key string) (string, error) { return s.keys[key], nil }\n", 15)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Find(text)
	}
}
