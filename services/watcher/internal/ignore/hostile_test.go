package ignore

import (
	"strings"
	"testing"
)

// Git takes for ever over these, too. The test fails by never ending.
func TestManyDoubleStars_ComeToAnEnd(t *testing.T) {
	deep := strings.Repeat("a/", 40) + "x.txt"
	for _, pattern := range []string{
		strings.Repeat("**/", 40) + "b", strings.Repeat("**/a/", 30) + "b", strings.Repeat("**/*a*/", 30) + "b", strings.Repeat("*/**/", 30) + "b",
	} {
		if wildmatch(pattern, deep) {
			t.Errorf("%.20s… matched", pattern)
		}
	}
	for _, pattern := range []string{strings.Repeat("**/", 40) + "x.txt", strings.Repeat("**/a/", 30) + "**/x.*"} {
		if !wildmatch(pattern, deep) {
			t.Errorf("%.20s… did not match", pattern)
		}
	}
}

// An index that git did not write may name absolute paths. The test fails by
// never ending.
func TestAbsolutePathInTheIndex_IsNotClimbedForEver(t *testing.T) {
	s := New(Options{Git: true, Tracked: []string{"/x.log", "//", "/", "a//b.log", "../up.log"}, Read: func(rel string) ([]byte, bool) {
		return []byte("*.log\n"), rel == GitFile
	}})
	if d := s.Decide("a/b.log", false); !d.Ignored {
		t.Errorf("a/b.log is let in: %+v", d)
	}
}

// Reasons stand in headers, which the log bounds.
func TestLineOfAMegabyte_IsCutInItsReason(t *testing.T) {
	rule := "[" + strings.Repeat("a-z", 1<<20) + "é]*.txt"
	s := New(Options{Git: true, Read: func(rel string) ([]byte, bool) { return []byte(rule), rel == "a\nb/"+GitFile }})
	reason := s.Decide("a\nb/x.txt", false).Reason()
	if len(reason) > 2*maxQuoted || strings.ContainsAny(reason, "\n") || !strings.HasPrefix(reason, "gitignore: [a-z") {
		t.Errorf("%d bytes: %.300q", len(reason), reason)
	}
}
