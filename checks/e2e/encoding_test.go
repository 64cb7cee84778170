package e2e

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// latin is a text as Windows has it in the west, wide one in UTF-16.
func latin(t *testing.T, text string) string {
	t.Helper()
	out, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wide(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// Of a folder, a repository and what is put, a text in another encoding is found, read
// and cited as people read it, and nothing is written again for that.
func TestTextInAnotherEncoding_IsSearchedAsItIsRead(t *testing.T) {
	t.Parallel()
	root := folder(t, "legacy")
	write(t, filepath.Join(root, "gate.c"), latin(t, "/* Öffnet die Schleuse. */\nint schleuse(void)\n{\n\treturn 1; /* Überlauf */\n}\n"))
	write(t, filepath.Join(root, "tide.sql"), wide("-- höchste Flut\r\ncreate table flut (pegel int);\r\n"))
	repository, clone := bare(t, map[string]string{"dam.c": latin(t, "/* Staumauer über dem Fluß */\nint dam;\n")})
	data := t.TempDir()
	r := up(t, data, root, repository)
	library := string(r.source(repository).Source)
	r.addAPI("given")
	ask[contract.PutRequest, contract.WriteReply](t, r.bus, contract.SubjectPut, contract.PutRequest{Source: "given", Documents: []contract.PutDocument{
		{Path: "weir.c", Content: []byte(latin(t, "/* Das Wehr hält Geröll zurück. */\nint weir;\n"))},
	}})
	for word, place := range map[string]string{
		"Öffnet": "legacy/gate.c", "Überlauf": "legacy/gate.c", "höchste": "legacy/tide.sql", "Fluß": library + "/dam.c", "Geröll": "given/weir.c",
	} {
		r.shows("latest", word, place)
	}
	rep := r.search(contract.SearchRequest{Query: "Überlauf", Token: "latest"})
	if len(rep.Hits) == 0 || rep.Hits[0].StartLine != 1 || rep.Hits[0].EndLine != 5 || strings.ContainsRune(rep.Hits[0].Text, '\uFFFD') {
		t.Errorf("cited as %+v", rep.Hits)
	}
	lines := ask[contract.GrepRequest, contract.GrepReply](t, r.bus, contract.SubjectGrep, contract.GrepRequest{Pattern: "Überlauf|höchste", Token: "latest"})
	if len(lines.Files) != 2 {
		t.Errorf("grep: %+v", lines)
	}

	// Another letter is another version; the same look at the same files is none.
	before := map[document.Path]document.Version{}
	for _, path := range []document.Path{"gate.c", "tide.sql"} {
		before[path] = r.headOf("legacy", path).Version
	}
	r.stop()
	r = up(t, data, root, repository)
	r.look(root)
	for path, version := range before {
		if now := r.headOf("legacy", path).Version; now != version {
			t.Errorf("%s was written again: %d, was %d", path, now, version)
		}
	}
	write(t, filepath.Join(root, "gate.c"), latin(t, "/* Schließt die Schleuse. */\n"))
	write(t, filepath.Join(clone, "dam.c"), latin(t, "/* Staumauer am Bächlein */\n"))
	git(t, clone, "commit", "-qam", "second")
	git(t, clone, "push", "-q", "origin", "main")
	token := r.look(root, repository).String()
	r.shows(token, "Schließt", "legacy/gate.c")
	r.shows(token, "Bächlein", library+"/dam.c")
	r.shows(token, "Überlauf", "")
	r.stop()
	storesEqualLog(t, data)
}
