package gitrepo

import (
	"bufio"
	"bytes"
	"testing"
)

// A listing that can be read holds its entries, byte for byte.
func FuzzTreeListing(f *testing.F) {
	f.Add([]byte("100644 blob ab\ta.txt\x00120000 blob cd\ta\nb\x00160000 commit ef\t../m\x00"))
	f.Add([]byte("\x00\x00"))
	f.Add([]byte("99999999999999 blob ab\ta\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		entries, err := parseTree(out)
		if err != nil {
			return
		}
		for _, e := range entries {
			if !bytes.Contains(append(out, 0), []byte("\t"+e.Path+"\x00")) || !bytes.Contains(out, []byte(e.Blob)) {
				t.Errorf("%+v is not in %q", e, out)
			}
		}
	})
}

// An answer gives as many bytes as it says, or an error; its length alone
// takes no memory.
func FuzzBlobAnswer(f *testing.F) {
	for _, s := range []string{"ab blob 3\nabc\n", "ab missing\n", "ab blob -2\n", "ab blob 9223372036854775807\nx", "ab blob 4611686018427387904\nx", "ab blob 3\nab", "ab blob 0\n\n", "\n"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, answer []byte, content bool) {
		size, body, err := readAnswer(bufio.NewReader(bytes.NewReader(answer)), content)
		if err == nil && content && (int64(len(body)) != size || !bytes.Contains(answer, body)) {
			t.Errorf("%q gives %d bytes of %d: %q", answer, len(body), size, body)
		}
		if err != nil && body != nil {
			t.Errorf("%q gives %q beside the error %v", answer, body, err)
		}
	})
}
