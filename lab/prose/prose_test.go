package prose

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
)

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAbstractAndQuestion_AreRead(t *testing.T) {
	folder, out := t.TempDir(), t.TempDir()
	write(t, folder, "ALL", ".I 1\n.T\nOf herons\n.A\nSomebody\n.W\nA heron stands\nin the water.\n.X\n1\t5\t1\n.I 2\n.T\nOf boats\n.W\nA boat floats.\n")
	write(t, folder, "QRY", ".I 1\n.W\nWhere does\na heron stand?\n.I 2\n.W\nNobody judged this.\n")
	write(t, folder, "REL", "     1     1 0 0.000000\n     1     1 0 0.000000\n")
	set, err := CISI(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Write(out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "cisi", "corpus", "0001.md"))
	if err != nil || string(text) != "# Of herons\n\nA heron stands\nin the water.\n" {
		t.Errorf("%q: %v", text, err)
	}
	tasks, err := eval.Read(filepath.Join(out, "cisi", "tasks.jsonl"))
	if err != nil || len(tasks) != 1 || tasks[0].Query != "Where does a heron stand?" || len(set.Tasks[0].Relevant) != 1 {
		t.Errorf("%+v: %v", tasks, err)
	}
}

func TestParagraphAndQuestion_AreRead(t *testing.T) {
	folder := t.TempDir()
	qas := strings.Repeat(`{"id":"x","question":"?"},`, 3) + `{"id":"q4","question":"Wer steht im Wasser?"}`
	write(t, folder, "xquad.de.json", `{"data":[{"paragraphs":[{"context":"Ein Reiher steht im Wasser.","qas":[`+qas+`]}]}]}`)
	set, err := XQuAD(folder, "de")
	if err != nil || len(set.Tasks) != 1 || set.Tasks[0].ID != "q4" || !slices.Equal(set.Tasks[0].Relevant, []string{"00-00.md"}) {
		t.Fatalf("%+v: %v", set, err)
	}
	if set.Files["00-00.md"] != "Ein Reiher steht im Wasser.\n" {
		t.Errorf("%+v", set.Files)
	}
}

func TestFolderWithoutTheCollection_IsRefused(t *testing.T) {
	folder := t.TempDir()
	if _, err := CISI(folder); document.KindOf(err) != document.NotFound {
		t.Errorf("no files: %v", err)
	}
	write(t, folder, "ALL", "no record\n")
	if _, err := CISI(folder); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("no record: %v", err)
	}
	write(t, folder, "xquad.de.json", "[]")
	if _, err := XQuAD(folder, "de"); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("no object: %v", err)
	}
}
