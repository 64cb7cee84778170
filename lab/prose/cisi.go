package prose

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// CISI reads the collection of that name from a folder with its files ALL, QRY
// and REL: abstracts of information science, a Markdown file each with the title
// as its heading, and the questions for which there are judgements.
func CISI(folder string) (*Set, error) {
	abstracts, err := records(filepath.Join(folder, "ALL"))
	if err != nil {
		return nil, err
	}
	questions, err := records(filepath.Join(folder, "QRY"))
	if err != nil {
		return nil, err
	}
	judged, err := judgements(filepath.Join(folder, "REL"))
	if err != nil {
		return nil, err
	}
	set := &Set{Name: "cisi", Files: map[string]string{}}
	for _, r := range abstracts {
		set.Files[cisiFile(r.number)] = fmt.Sprintf("# %s\n\n%s\n", oneLine(r.fields['T']), strings.TrimSpace(r.fields['W']))
	}
	for _, r := range questions {
		if relevant := judged[r.number]; len(relevant) > 0 {
			set.ask(fmt.Sprintf("cisi-%d", r.number), oneLine(r.fields['W']), "english", relevant)
		}
	}
	return set, nil
}

func cisiFile(number int) string { return fmt.Sprintf("%04d.md", number) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// record is one of a file of the SMART format: a line ".I 12", then fields, each
// begun by a line such as ".T".
type record struct {
	number int
	fields map[byte]string
}

func records(file string) ([]record, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the collection: %w", err)
	}
	var out []record
	field := byte(0)
	for line := range bytes.Lines(raw) {
		text := strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), " ")
		number, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(text, ".I")))
		switch {
		case strings.HasPrefix(text, ".I ") && err == nil:
			out, field = append(out, record{number, map[byte]string{}}), 0
		case len(out) == 0: // the collection has a stray line there
		case len(strings.TrimSpace(text)) == 2 && text[0] == '.' && text[1] >= 'A' && text[1] <= 'Z':
			field = text[1]
		case field != 0:
			out[len(out)-1].fields[field] += text + "\n"
		}
	}
	if len(out) == 0 {
		return nil, document.Errorf(document.InvalidRequest, "%s has no record such as .I 1", file)
	}
	return out, nil
}

// judgements are the files that answer each question, each once.
func judgements(file string) (map[int][]string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the judgements: %w", err)
	}
	out := map[int][]string{}
	for line := range bytes.Lines(raw) {
		var question, abstract int
		if _, err := fmt.Sscan(string(line), &question, &abstract); err != nil {
			return nil, document.Errorf(document.InvalidRequest, "%s has the line %q, which does not begin with two numbers", file, bytes.TrimSpace(line))
		}
		if name := cisiFile(abstract); !slices.Contains(out[question], name) {
			out[question] = append(out[question], name)
		}
	}
	return out, nil
}
