package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/nearest"
)

// Load reads the file at path over the defaults ("" for none), and variables
// of the environment ("FRESHET_NATS_URL=…", as os.Environ gives them) over
// both. Every error is InvalidRequest (NotFound when there is no such file)
// and names the file and the line, or the variable. What is read is validated.
func Load(path string, environ ...string) (Config, error) {
	if path == "" {
		return Parse("", nil, environ...)
	}
	text, err := read(path)
	if err != nil {
		return Config{}, err
	}
	return Parse(path, text, environ...)
}

// Parse is Load of a text, which is that of the file at path, or to be.
func Parse(path string, text []byte, environ ...string) (Config, error) {
	cfg := Default()
	if err := decode(path, text, reflect.ValueOf(&cfg).Elem()); err != nil {
		return Config{}, err
	}
	set, err := cfg.override(environ)
	if err != nil {
		return Config{}, err
	}
	if err := cfg.weigh(); err != nil {
		return Config{}, err
	}
	cfg.Collections.fill()
	if err := cfg.Validate(); err != nil {
		var p *Problems
		if errors.As(err, &p) {
			p.from(path, set)
		}
		return Config{}, err
	}
	return cfg, nil
}

func read(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, document.Errorf(document.NotFound, "there is no configuration file %s", path).
			With(document.Action{Do: document.DoConfigWrite, Path: document.EncodePath(path)}, document.Action{Do: document.DoConfigDefault})
	}
	if err != nil {
		return nil, document.Errorf(document.Forbidden, "cannot read the configuration %s: %w", path, err)
	}
	return text, nil
}

// decode overwrites a struct with what text says.
func decode(file string, text []byte, into reflect.Value) error {
	tree, err := parser.ParseBytes([]byte(plainLines(text)), 0)
	if err != nil {
		return document.Errorf(document.InvalidRequest, "%s is not YAML: %s", file, oneLine(err))
	}
	d := decoder{file: file}
	documents := 0
	for _, doc := range tree.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if documents++; documents > 1 {
			return d.errorf(doc.Body, "a second YAML document begins here: keep everything in one")
		}
		if err := d.value(doc.Body, into, ""); err != nil {
			return err
		}
	}
	return nil
}

// byteOrderMark begins a file that some editors write.
const byteOrderMark = "\ufeff"

// plainLines is a text as the parser counts its lines: without a mark at its beginning,
// and with nothing but a newline at the end of each.
func plainLines(text []byte) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(text), byteOrderMark), "\r\n", "\n")
}

// oneLine takes the message of a syntax error without the excerpt below it.
func oneLine(err error) string {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil {
		return fmt.Sprintf("line %d: %s", syntax.Token.Position.Line, syntax.Message)
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

type decoder struct{ file string }

func (d decoder) errorf(n ast.Node, format string, args ...any) error {
	return document.Errorf(document.InvalidRequest, "%s:%d: "+format, append([]any{d.file, n.GetToken().Position.Line}, args...)...)
}

var durationType = reflect.TypeFor[time.Duration]()

// value writes the node n into v; at is the path of v ("watcher.debounce").
func (d decoder) value(n ast.Node, v reflect.Value, at string) error {
	switch node := n.(type) {
	case *ast.NullNode:
		return nil // a key without a value keeps its default
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return d.errorf(n, "anchors, aliases and tags are not understood here: write the value out")
	case *ast.MappingValueNode:
		n = ast.Mapping(node.Start, false, node)
	}
	switch {
	case v.Kind() == reflect.Struct:
		return d.object(n, v, at)
	case v.Kind() == reflect.Slice:
		return d.list(n, v, at)
	}
	text, err := d.scalar(n, at)
	if err != nil {
		return err
	}
	if err := setScalar(v, text); err != nil {
		return d.errorf(n, "%s: %w", at, err)
	}
	return nil
}

func (d decoder) object(n ast.Node, v reflect.Value, at string) error {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return d.errorf(n, "%s must hold keys: %s", orTop(at), strings.Join(keysOf(v.Type()), ", "))
	}
	for _, pair := range m.Values {
		if _, merge := pair.Key.(*ast.MergeKeyNode); merge {
			return d.errorf(pair.Key, "anchors, aliases and tags are not understood here: write the value out")
		}
		key := pair.Key.GetToken().Value
		f, ok := fieldByKey(v, key)
		if !ok {
			return d.unknown(pair.Key, key, v.Type(), at)
		}
		if err := d.value(pair.Value, f, join(at, key)); err != nil {
			return err
		}
	}
	return nil
}

func (d decoder) unknown(n ast.Node, key string, typ reflect.Type, at string) error {
	known := keysOf(typ)
	where := ""
	if at != "" {
		where = " in " + at
	}
	if near, ok := nearest.Of(key, known); ok {
		return d.errorf(n, "unknown key %q%s: did you mean %q?", key, where, near)
	}
	return d.errorf(n, "unknown key %q%s: known are %s", key, where, strings.Join(known, ", "))
}

func (d decoder) list(n ast.Node, v reflect.Value, at string) error {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return d.errorf(n, "%s must be a list: begin each entry with a dash", at)
	}
	if len(seq.Values) == 0 {
		v.SetZero()
		return nil
	}
	out := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
	for i, e := range seq.Values {
		if err := d.value(e, out.Index(i), fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

// scalar returns the text of a scalar with the environment put in.
func (d decoder) scalar(n ast.Node, at string) (string, error) {
	var text string
	switch node := n.(type) {
	case *ast.StringNode:
		text = node.Value
	case *ast.LiteralNode:
		text = node.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		text = n.GetToken().Value
	default:
		return "", d.errorf(n, "%s must be one value, not a list or an object", orTop(at))
	}
	text, err := expand(text)
	if err != nil {
		return "", d.errorf(n, "%s: %w", at, err)
	}
	return text, nil
}

func setScalar(v reflect.Value, text string) error {
	switch {
	case v.Type() == durationType:
		t, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%q is not a duration: write a number with ms, s, m or h, such as 50ms", text)
		}
		v.SetInt(int64(t))
	case v.Type() == reflect.TypeFor[Size]():
		s, err := ParseSize(text)
		if err != nil {
			return err
		}
		v.SetInt(int64(s))
	case v.Kind() == reflect.Int:
		i, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		v.SetInt(int64(i))
	case v.Kind() == reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		v.SetFloat(f)
	case v.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		v.SetBool(b)
	case v.Kind() == reflect.String:
		v.SetString(text)
	default:
		return fmt.Errorf("a %s cannot be configured", v.Type())
	}
	return nil
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

func orTop(at string) string {
	if at == "" {
		return "the file"
	}
	return at
}
