package export

import (
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// neo4j writes nodes and relationships with the headers of Neo4j's importer. What has
// lines or quotes in it is quoted, a quote within is doubled. Ids are unique within their
// kind, and relationships name what is there.
type neo4j struct {
	files *folder
	sum   *Summary
	once  once
	names map[string]bool // that have a node
	order int             // of the passage in its document

	tables map[string]*csv.Writer
	kinds  []string // --nodes=FILE and --relationships=FILE, in the order of writing
}

// arrayMark stands between the entries of a list: no text has it, and Neo4j knows no
// escape there.
const arrayMark = "\x1f"

// Tables and their headers. Where a passage stands in a document is said by the
// relationship: two views of a path may have it at different lines.
var (
	documentNodes = table{"documents", "--nodes", []string{"id:ID(document)", "source", "path", "view", "version:long", "state", "hash", "size:long", "collection", "language", "format", "commit", "modified:datetime", "reason", "metadata:string[]", ":LABEL"}}
	passageNodes  = table{"passages", "--nodes", []string{"id:ID(passage)", "kind", "headings:string[]", "text", ":LABEL"}}
	symbolNodes   = table{"symbols", "--nodes", []string{"id:ID(symbol)", "name", "kind", "signature", ":LABEL"}}
	nameNodes     = table{"names", "--nodes", []string{"name:ID(name)", ":LABEL"}}
	hasPassage    = table{"has_passage", "--relationships", []string{":START_ID(document)", ":END_ID(passage)", "order:int", "start_line:int", "end_line:int", ":TYPE"}}
	defines       = table{"defines", "--relationships", []string{":START_ID(passage)", ":END_ID(symbol)", ":TYPE"}}
	isNamed       = table{"is_named", "--relationships", []string{":START_ID(symbol)", ":END_ID(name)", ":TYPE"}}
	refersTo      = table{"refers_to", "--relationships", []string{":START_ID(passage)", ":END_ID(name)", ":TYPE"}}

	roleNodes      = table{"roles", "--nodes", []string{"role:ID(role)", "asks:string[]", ":LABEL"}}
	includesRole   = table{"includes", "--relationships", []string{":START_ID(role)", ":END_ID(role)", ":TYPE"}}
	principalNodes = table{"principals", "--nodes", []string{"name:ID(principal)", "owner:boolean", ":LABEL"}}
	hasRole        = table{"has_role", "--relationships", []string{":START_ID(principal)", ":END_ID(role)", ":TYPE"}}
	groupNodes     = table{"groups", "--nodes", []string{"name:ID(group)", ":LABEL"}}
	memberOf       = table{"member_of", "--relationships", []string{":START_ID(principal)", ":END_ID(group)", ":TYPE"}}
	ruleNodes      = table{"rules", "--nodes", []string{"id:ID(rule)", "sources:string[]", "paths:string[]", "collections:string[]", ":LABEL"}}
	lets           = table{"lets", "--relationships", []string{":START_ID(rule)", ":END_ID(group)", ":TYPE"}}
)

// table is a file and how the importer is told of it.
type table struct {
	name, kind string
	header     []string
}

func newNeo4j(files *folder, sum *Summary) (*neo4j, error) {
	n := &neo4j{files: files, sum: sum, names: map[string]bool{}, tables: map[string]*csv.Writer{}}
	for _, t := range []table{documentNodes, passageNodes, symbolNodes, nameNodes, hasPassage, defines, isNamed, refersTo} {
		if err := n.open(t); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *neo4j) open(t table) error {
	out, err := n.files.file(t.name + ".csv")
	if err != nil {
		return err
	}
	n.tables[t.name] = csv.NewWriter(out)
	n.kinds = append(n.kinds, t.kind+"="+t.name+".csv")
	return n.row(t, t.header...)
}

func (n *neo4j) row(t table, fields ...string) error {
	if err := n.tables[t.name].Write(fields); err != nil {
		return fmt.Errorf("write %s.csv: %w", t.name, err)
	}
	return nil
}

func (n *neo4j) part(d *contract.DocumentPassages, first bool) error {
	// Neither a source nor a view has a colon in its name.
	id := string(d.Source) + ":" + string(d.View) + ":" + string(d.Path)
	if first {
		n.order = 0
		modified := ""
		if !d.Modified.IsZero() {
			modified = d.Modified.UTC().Format(time.RFC3339Nano)
		}
		if err := n.row(documentNodes, id, string(d.Source), string(d.Path), string(d.View), strconv.FormatUint(uint64(d.Version), 10), string(d.State), string(d.Hash),
			strconv.FormatInt(d.Size, 10), string(d.Collection), d.Language, d.Format, d.Commit, modified, d.Reason, list(said(d.Metadata)), "Document"); err != nil {
			return err
		}
	}
	for i := range d.Passages {
		if err := n.passage(d, id, &d.Passages[i]); err != nil {
			return err
		}
	}
	return nil
}

func (n *neo4j) passage(d *contract.DocumentPassages, document string, p *contract.Passage) error {
	id := p.ID.String()
	if n.once.isNew(d, p.ID) {
		n.sum.Passages++
		text := p.Text
		if p.Bytes != nil {
			text = strings.ToValidUTF8(string(p.Bytes), "\uFFFD")
		}
		if err := n.row(passageNodes, id, p.Kind, list(p.Headings), text, "Passage"); err != nil {
			return err
		}
		if err := n.symbols(id, p); err != nil {
			return err
		}
		for _, name := range p.References {
			n.sum.References++
			if err := errors.Join(n.name(name), n.row(refersTo, id, name, "REFERS_TO")); err != nil {
				return err
			}
		}
	}
	n.order++
	return n.row(hasPassage, document, id, strconv.Itoa(n.order), strconv.Itoa(p.StartLine), strconv.Itoa(p.EndLine), "HAS_PASSAGE")
}

func (n *neo4j) symbols(passage string, p *contract.Passage) error {
	for i, s := range p.Symbols {
		n.sum.Symbols++
		id := passage + "." + strconv.Itoa(i)
		// What is called is written without what it belongs to.
		name := s.Name
		if at := strings.LastIndexAny(name, ".:#/"); at >= 0 && at < len(name)-1 {
			name = name[at+1:]
		}
		if err := errors.Join(
			n.row(symbolNodes, id, s.Name, s.Kind, s.Signature, "Symbol"), n.row(defines, passage, id, "DEFINES"),
			n.name(name), n.row(isNamed, id, name, "IS_NAMED")); err != nil {
			return err
		}
	}
	return nil
}

// name makes the node of a name, once.
func (n *neo4j) name(name string) error {
	if n.names[name] {
		return nil
	}
	n.names[name] = true
	return n.row(nameNodes, name, "Name")
}

func (n *neo4j) access(a *access) error {
	for _, t := range []table{roleNodes, includesRole, principalNodes, hasRole, groupNodes, memberOf, ruleNodes, lets} {
		if err := n.open(t); err != nil {
			return err
		}
	}
	var err error
	add := func(t table, fields ...string) { err = errors.Join(err, n.row(t, fields...)) }
	for _, r := range a.Roles {
		add(roleNodes, string(r.Role), list(r.Asks), "Role")
		for _, other := range r.Includes {
			add(includesRole, string(r.Role), string(other), "INCLUDES")
		}
	}
	for _, g := range a.groups() {
		add(groupNodes, g, "Group")
	}
	for _, p := range a.principals {
		add(principalNodes, p.Name, strconv.FormatBool(p.Owner), "Principal")
		if p.Role != "" {
			add(hasRole, p.Name, string(p.Role), "HAS_ROLE")
		}
		for _, g := range p.Groups {
			add(memberOf, p.Name, g, "MEMBER_OF")
		}
	}
	for i, r := range a.Rules {
		id := strconv.Itoa(i)
		add(ruleNodes, id, list(r.Sources), list(r.Paths), list(r.Collections), "Rule")
		for _, g := range r.Groups {
			add(lets, id, g, "LETS")
		}
	}
	return err
}

// close writes the call of the importer beside the tables.
func (n *neo4j) close() error {
	for name, t := range n.tables {
		if t.Flush(); t.Error() != nil {
			return fmt.Errorf("write %s.csv: %w", name, t.Error())
		}
	}
	// What follows the last list of files would be taken for one of them.
	script := "#!/bin/sh\n# import.sh DATABASE has Neo4j's importer (5 or newer) make a database of this export.\n" +
		"cd \"$(dirname \"$0\")\" && exec neo4j-admin database import full \"$@\" \\\n" +
		"  --id-type=string --multiline-fields=true --array-delimiter=U+001F --legacy-style-quoting=false \\\n  " +
		strings.Join(n.kinds, " \\\n  ") + "\n"
	if err := os.WriteFile(filepath.Join(n.files.dir, "import.sh"), []byte(script), 0o700); err != nil {
		return fmt.Errorf("write import.sh: %w", err)
	}
	return nil
}

// said is metadata as KEY=VALUE, sorted.
func said(m document.Metadata) (out []string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		for _, value := range m[key] {
			out = append(out, key+"="+value)
		}
	}
	return out
}

func list[S ~string](all []S) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = strings.ReplaceAll(string(s), arrayMark, " ")
	}
	return strings.Join(out, arrayMark)
}
