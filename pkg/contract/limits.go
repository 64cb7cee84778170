package contract

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/document"
)

// What a request may hold stands at its fields, in the tag limit: the most
// entries of a list or map, or the most bytes of a text. Of a list of texts it
// is both, the entries first. The schemas say the same.

// textLimits are the most bytes of texts that have a type of their own, wherever
// they stand.
var textLimits = map[reflect.Type]int{
	reflect.TypeFor[document.Source]():     64,
	reflect.TypeFor[document.View]():       1 << 10,
	reflect.TypeFor[document.Path]():       64 << 10, // what the log takes of headers
	reflect.TypeFor[document.Collection](): 64,
	reflect.TypeFor[Stage]():               64,
	reflect.TypeFor[FailureKind]():         64,
	reflect.TypeFor[FeedbackKind]():        64,
}

// limit is what holds of one type of value in a request.
type limit struct {
	most   int // entries or bytes; 0: the type has none
	key    *limit
	value  *limit // of the entries, or of what a pointer leads to
	fields []fieldLimit
}

type fieldLimit struct {
	index int
	name  string
	limit *limit
}

var knownLimits sync.Map // reflect.Type → *limit or error

// CheckLimits returns an InvalidRequest that names the first list or text of a
// request that is longer than its limit, and the limit.
func CheckLimits(request any) error {
	v := reflect.ValueOf(request)
	l, err := limitsOf(v.Type())
	if err != nil {
		return err
	}
	return l.check(v, "")
}

// Limited returns an error that names a list or text of a type of request that
// has no limit.
func Limited(typ reflect.Type) error {
	_, err := limitsOf(typ)
	return err
}

func limitsOf(typ reflect.Type) (*limit, error) {
	known, ok := knownLimits.Load(typ)
	if !ok {
		if l, err := limitOf(typ, "", typ.String()); err != nil {
			known = err
		} else {
			known = l
		}
		knownLimits.Store(typ, known)
	}
	if err, bad := known.(error); bad {
		return nil, err
	}
	return known.(*limit), nil
}

// limitOf reads the limits of a type that stands at a place with a tag.
func limitOf(typ reflect.Type, tag, at string) (l *limit, err error) {
	l = &limit{}
	own, rest, _ := strings.Cut(tag, ",")
	need := func() error {
		if l.most, err = strconv.Atoi(own); err != nil || l.most < 1 {
			return fmt.Errorf("%s may be of any length: give the field a tag such as `limit:\"100\"`", at)
		}
		return nil
	}
	switch {
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Uint8:
		return l, need()
	case reflect.PointerTo(typ).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return l, nil // it takes what it knows and nothing else
	case typ.Kind() == reflect.String && textLimits[typ] > 0:
		l.most = textLimits[typ]
		return l, nil
	case typ.Kind() == reflect.String:
		return l, need()
	case typ.Kind() == reflect.Pointer:
		l.value, err = limitOf(typ.Elem(), tag, at)
		return l, err
	case typ.Kind() == reflect.Slice, typ.Kind() == reflect.Map:
		if err := need(); err != nil {
			return nil, err
		}
		if typ.Kind() == reflect.Map {
			if l.key, err = limitOf(typ.Key(), rest, at+"{}"); err != nil {
				return nil, err
			}
		}
		l.value, err = limitOf(typ.Elem(), rest, at+"[]")
		return l, err
	case typ.Kind() == reflect.Struct:
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" {
				continue
			}
			of, err := limitOf(f.Type, f.Tag.Get("limit"), at+"."+name)
			if err != nil {
				return nil, err
			}
			l.fields = append(l.fields, fieldLimit{i, name, of})
		}
	case typ.Kind() == reflect.Interface, typ.Kind() == reflect.Array:
		return nil, fmt.Errorf("%s is of type %s: use one whose limits can be told", at, typ)
	}
	return l, nil
}

func (l *limit) check(v reflect.Value, at string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && l.value != nil {
			return l.value.check(v.Elem(), at)
		}
	case reflect.String:
		if l.most > 0 && v.Len() > l.most {
			return document.Errorf(document.InvalidRequest, "%s has %d bytes: shorten it to %d", at, v.Len(), l.most)
		}
	case reflect.Slice, reflect.Map:
		return l.checkList(v, at)
	case reflect.Struct:
		for _, f := range l.fields {
			if err := f.limit.check(v.Field(f.index), strings.TrimPrefix(at+"."+f.name, ".")); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *limit) checkList(v reflect.Value, at string) error {
	if v.Len() > l.most && l.value == nil {
		return document.Errorf(document.InvalidRequest, "%s has %d bytes: shorten it to %d", at, v.Len(), l.most)
	}
	if v.Len() > l.most {
		return document.Errorf(document.InvalidRequest, "%s has %d entries: send at most %d at once", at, v.Len(), l.most)
	}
	if v.Kind() == reflect.Map {
		for k, e := range v.Seq2() {
			if err := l.key.check(k, "a key of "+at); err != nil {
				return err
			}
			if err := l.value.check(e, at+"{}"); err != nil {
				return err
			}
		}
		return nil
	}
	if l.value == nil || l.value.empty() {
		return nil
	}
	for i := range v.Len() {
		if err := l.value.check(v.Index(i), at+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

// empty reports whether nothing is bounded, as of a number.
func (l *limit) empty() bool { return l.most == 0 && l.value == nil && l.fields == nil }
