package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Token is "at least as fresh as this": a sequence of FILES within an epoch.
// Its text form is "epoch.sequence" in decimal.
type Token struct {
	Epoch uint64
	Seq   uint64
}

// IsZero reports whether t is no token.
func (t Token) IsZero() bool { return t == Token{} }

// String returns the text form, or "" for the zero token.
func (t Token) String() string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatUint(t.Epoch, 10) + "." + strconv.FormatUint(t.Seq, 10)
}

// ParseToken reads the text form. The error is InvalidRequest.
func ParseToken(s string) (Token, error) {
	e, q, ok := strings.Cut(s, ".")
	if ok {
		epoch, err1 := strconv.ParseUint(e, 10, 64)
		seq, err2 := strconv.ParseUint(q, 10, 64)
		if err1 == nil && err2 == nil && epoch > 0 && seq > 0 {
			return Token{Epoch: epoch, Seq: seq}, nil
		}
	}
	return Token{}, Errorf(InvalidRequest, "token %q is not of the form EPOCH.SEQUENCE: use one that freshet returned", s)
}

// MarshalText implements encoding.TextMarshaler.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. An empty text is the
// zero token.
func (t *Token) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*t = Token{}
		return nil
	}
	v, err := ParseToken(string(b))
	if err != nil {
		return fmt.Errorf("read token: %w", err)
	}
	*t = v
	return nil
}
