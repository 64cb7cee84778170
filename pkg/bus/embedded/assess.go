package embedded

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/logcheck"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// assessment finds out what a damaged log has lost, from what of it is whole.
type assessment struct {
	log   *logcheck.Log
	kinds map[document.Source]string // of the sources that are registered
	paths map[docOf]document.Path
	// deleted are documents whose newest version has no content.
	deleted map[bus.FileKey]bool
}

// docOf names a document whatever its view.
type docOf struct {
	source document.Source
	doc    document.DocID
}

// keyOf is the key that a subject of a bucket's stream stands for.
func keyOf(bucket, subject string) string {
	return strings.TrimPrefix(subject, contract.KeyAddress(bucket, ""))
}

func (a *assessment) readSources() error {
	return a.log.Messages(contract.KeyStream(contract.BucketSources), func(m logcheck.Message) {
		var s struct {
			Source document.Source `json:"source"`
			Kind   string          `json:"kind"`
		}
		if json.Unmarshal(m.Body, &s) == nil {
			a.kinds[s.Source] = s.Kind
		}
	})
}

// readOutputs learns from CHUNKS the paths of documents and the versions that
// FILES must have had.
func (a *assessment) readOutputs() error {
	exact := a.log.Exact(contract.StreamFiles)
	return a.log.Messages(contract.StreamChunks, func(m logcheck.Message) {
		h, err := contract.ParseOutputHead(m.Subject, m.Seq, headersOf(m))
		if err != nil {
			return
		}
		a.paths[docOf{h.Source, h.Doc}] = h.Path
		// What the log has told others of goes on above it.
		a.log.Floor(contract.StreamFiles, uint64(h.Covers.Newest()))
		for view, cover := range h.Covers.All() {
			a.deleted[bus.FileKey{Source: h.Source, Doc: h.Doc, View: view}] = cover.Hash == ""
			if !exact {
				a.log.Newest(contract.StreamFiles, contract.FileSubject(h.Source, h.Doc, view), uint64(cover.Version))
			}
		}
	})
}

func (a *assessment) readFiles() error {
	return a.log.Messages(contract.StreamFiles, func(m logcheck.Message) {
		if h, err := contract.ParseFileHead(m.Subject, m.Seq, headersOf(m)); err == nil {
			a.paths[docOf{h.Source, h.Doc}] = h.Path
			a.deleted[bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View}] = h.Op != contract.OpPut
		}
	})
}

// checkBodies has the messages taken out whose bodies are lost: they are made
// again, with their bodies.
func (a *assessment) checkBodies() error {
	if !slices.Contains(a.log.Damaged(), contract.StreamBodies) {
		return nil
	}
	type object struct {
		Name    string `json:"name"`
		Nuid    string `json:"nuid"`
		Chunks  int    `json:"chunks"`
		Deleted bool   `json:"deleted"`
	}
	objects, pieces := map[string]object{}, map[string]int{}
	err := a.log.Messages(contract.StreamBodies, func(m logcheck.Message) {
		if nuid, ok := strings.CutPrefix(m.Subject, contract.BodyPiece); ok {
			pieces[nuid]++
			return
		}
		var o object
		if strings.HasPrefix(m.Subject, contract.BodyInfo) && json.Unmarshal(m.Body, &o) == nil {
			objects[m.Subject] = o
		}
	})
	if err != nil {
		return err
	}
	whole, named := map[string]bool{}, map[string]bool{}
	for subject, o := range objects {
		named[o.Nuid] = true
		if o.Deleted || pieces[o.Nuid] == o.Chunks {
			whole[o.Name] = !o.Deleted
			continue
		}
		a.log.Drop(contract.StreamBodies, subject)
		a.log.Drop(contract.StreamBodies, contract.BodyPiece+o.Nuid)
	}
	for nuid := range pieces {
		if !named[nuid] {
			a.log.Drop(contract.StreamBodies, contract.BodyPiece+nuid)
		}
	}
	for _, stream := range contract.Streams {
		err := a.log.Messages(stream, func(m logcheck.Message) {
			if name := headersOf(m).Get(contract.HeaderClaim); name != "" && !whole[name] {
				a.log.Drop(stream, m.Subject)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropOutputs has the outputs taken out that were made of passages which are
// lost: passages that are cut again have other ids, and the coverage of what
// was made of the old ones says that nothing is to be done.
func (a *assessment) dropOutputs() error {
	type outputOf struct {
		generation document.Generation
		docOf
	}
	cut := map[outputOf]document.Version{}
	err := a.log.Messages(contract.StreamChunks, func(m logcheck.Message) {
		if h, err := contract.ParseOutputHead(m.Subject, m.Seq, headersOf(m)); err == nil {
			cut[outputOf{h.Generation, docOf{h.Source, h.Doc}}] = h.Covers.Newest()
		}
	})
	if err != nil {
		return err
	}
	for _, stream := range []string{contract.StreamVectors, contract.StreamIndexed} {
		err := a.log.Messages(stream, func(m logcheck.Message) {
			h, err := contract.ParseOutputHead(m.Subject, m.Seq, headersOf(m))
			if err == nil && cut[outputOf{h.Generation, docOf{h.Source, h.Doc}}] < h.Covers.Newest() {
				a.log.Drop(stream, m.Subject)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// losses lists what of a finding cannot be made again.
func (a *assessment) losses(f logcheck.Finding) []contract.Loss {
	var out []contract.Loss
	add := func(l contract.Loss) {
		l.Found = time.Now().UTC().Truncate(time.Second)
		out = append(out, l)
	}
	kind, bucket := a.kindOf(f.Stream)
	for _, subject := range f.Lost {
		switch kind {
		case contract.LossDocument, contract.LossLetter:
			if l, lost := a.ofDocument(kind, subject); lost {
				add(l)
			}
		case contract.LossFeedback, contract.LossAudit:
			add(contract.Loss{What: kind, Name: subject[strings.LastIndexByte(subject, '.')+1:]})
		case contract.LossRecord:
			if keyOf(bucket, subject) == contract.KeyLosses {
				add(contract.Loss{What: kind, Name: contract.KeyLosses})
			}
		case "":
		default:
			add(contract.Loss{What: kind, Name: keyOf(bucket, subject)})
		}
	}
	if !f.Unsure || kind == "" || kind == contract.LossRecord {
		return out
	}
	if kind != contract.LossDocument {
		add(contract.Loss{What: kind})
		return out
	}
	for source, k := range a.kinds {
		if k == contract.SourceAPI {
			add(contract.Loss{What: kind, Source: source})
		}
	}
	return out
}

// kindOf tells what a stream holds that nothing else does, and the bucket that
// it is behind.
func (a *assessment) kindOf(stream string) (contract.LossKind, string) {
	switch stream {
	case contract.StreamFiles:
		return contract.LossDocument, ""
	case contract.StreamDead:
		return contract.LossLetter, ""
	case contract.StreamFeedback:
		return contract.LossFeedback, ""
	case contract.StreamAudit:
		return contract.LossAudit, ""
	case contract.KeyStream(contract.BucketSources):
		return contract.LossSource, contract.BucketSources
	case contract.KeyStream(contract.BucketModels):
		return contract.LossModel, contract.BucketModels
	case contract.KeyStream(contract.BucketKeys):
		return contract.LossKey, contract.BucketKeys
	case contract.KeyStream(contract.BucketEvaluations):
		return contract.LossGolden, contract.BucketEvaluations
	case contract.KeyStream(contract.BucketMeta):
		return contract.LossRecord, contract.BucketMeta
	}
	return "", ""
}

// ofDocument names a document whose message is lost. It is no loss where the
// source has the document, or nothing was left of it.
func (a *assessment) ofDocument(kind contract.LossKind, subject string) (contract.Loss, bool) {
	k, err := contract.ParseSubject(subject)
	if err != nil || k.Doc == document.MarkerDoc {
		return contract.Loss{}, false
	}
	l := contract.Loss{What: kind, Source: k.Source, View: k.View, Path: a.paths[docOf{k.Source, k.Doc}]}
	if l.Path == "" {
		l.Name = string(k.Doc)
	}
	if kind == contract.LossLetter {
		return l, true
	}
	other, known := a.kinds[k.Source]
	if known && other != contract.SourceAPI || a.deleted[bus.FileKey{Source: k.Source, Doc: k.Doc, View: k.View}] {
		return contract.Loss{}, false
	}
	return l, true
}

// headersOf reads the headers of a message; none where they cannot be read.
func headersOf(m logcheck.Message) nats.Header {
	_, rest, ok := bytes.Cut(m.Headers, []byte("\r\n"))
	if !ok {
		return nil
	}
	h := nats.Header{}
	read := textproto.NewReader(bufio.NewReader(bytes.NewReader(rest)))
	for {
		line, err := read.ReadLine()
		if err != nil || line == "" {
			return h
		}
		// Names are kept as they are, as the client does.
		if name, value, ok := strings.Cut(line, ":"); ok {
			h[name] = append(h[name], strings.TrimSpace(value))
		}
	}
}
