package siege

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// garbled are the streams whose bodies are made unreadable while everything
// runs.
var garbled = []string{contract.StreamFiles, contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed}

// garbleTime bounds a blow that finds nobody who answers.
const garbleTime = 2 * time.Second

// garble puts what nobody can read in the place of the newest message of a
// document in one of the streams, with the headers that it had, or takes away
// the object that its body is.
func (r *assault) garble(ctx context.Context) error {
	stream := garbled[r.rng.IntN(len(garbled))]
	which, how := r.rng.Uint32(), r.rng.Uint32()
	within, cancel := context.WithTimeout(ctx, garbleTime)
	defer cancel()
	if r.log == nil {
		login, err := r.dep.login(bus.UserServices)
		if err != nil {
			return err
		}
		if r.log, err = login.Connect(within); err != nil {
			return nil // the program is down
		}
	}
	m, err := newestOf(within, r.log, stream, which)
	if err != nil || m == nil {
		return nil // the program is down, or has nothing yet
	}
	if name := m.Header.Get(contract.HeaderClaim); name != "" && how%2 == 0 {
		objects, err := r.log.JetStream().ObjectStore(within, contract.BucketBodies)
		if err == nil && objects.Delete(within, name) == nil {
			r.wound(m, "object of "+stream+" removed")
		}
		return nil
	}
	body, what := fmt.Appendf(nil, "garbage %08x", how), "body of "+stream+" garbled"
	if how%4 == 1 {
		if turned := turnedAround(within, m, stream, how); turned != nil {
			body, what = turned, "text in "+stream+" changed"
		}
	}
	if ack := r.log.Publish(within, inPlaceOf(m, body))[0]; ack.Err == nil {
		r.wound(m, what)
	}
	return nil
}

// wound notes what was done to a message.
func (r *assault) wound(m *bus.Msg, what string) {
	r.count(what)
	if k, err := contract.ParseSubject(m.Subject); err == nil {
		r.hurt[bus.DocKey{Source: k.Source, Doc: k.Doc}] = true
	}
}

// repair has what was garbled, and what no question and no change came upon
// since, found and mended by a comparison, before everything has to be equal. It
// may find nothing else.
func (r *assault) repair(ctx context.Context) error {
	if len(r.hurt) == 0 {
		return nil
	}
	err := client.Verify.Each(ctx, r.bus.Conn(), contract.VerifyRequest{Repair: true}, func(p contract.VerifyPart) error {
		d := p.Difference
		if d == nil {
			return nil
		}
		doc := d.Doc
		if doc == "" {
			doc = document.DocOf(d.Path)
		}
		switch {
		case !r.hurt[bus.DocKey{Source: d.Source, Doc: doc}]:
			r.violation("unequal", fmt.Sprintf("verify: %s %s in %s %s of %s, which nobody garbled: %s", d.What, d.Path, d.Stage, d.Sink, d.Source, d.Detail))
		case !d.Repaired:
			r.violation("unequal", fmt.Sprintf("verify: %s %s in %s %s of %s is not repaired: %s", d.What, d.Path, d.Stage, d.Sink, d.Source, d.Detail))
		default:
			r.count("mended by verify")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("verify with repair: %w", err)
	}
	return nil
}

// newestOf returns the newest message of one of the documents that a stream has,
// nil where it has none.
func newestOf(ctx context.Context, b *bus.Bus, stream string, which uint32) (*bus.Msg, error) {
	s, err := b.JetStream().Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(contract.StreamSubjects(stream)))
	if err != nil {
		return nil, err
	}
	var subjects []string
	for subject := range info.State.Subjects {
		if k, err := contract.ParseSubject(subject); err == nil && k.Doc != document.MarkerDoc {
			subjects = append(subjects, subject)
		}
	}
	if len(subjects) == 0 {
		return nil, nil
	}
	slices.Sort(subjects)
	m, err := b.LeaderLast(ctx, stream, subjects[int(which)%len(subjects)])
	if err != nil || m == nil || m.Header.Get(contract.HeaderOp) == string(contract.OpDelete) {
		return nil, err
	}
	return m, nil
}

// inPlaceOf is a message that says of itself what another one does, with a body
// of its own.
func inPlaceOf(m *bus.Msg, body []byte) bus.Out {
	header := nats.Header{}
	for name, values := range m.Header {
		if !strings.HasPrefix(name, "Nats-") && name != contract.HeaderEncoding && name != contract.HeaderClaim {
			header[name] = values
		}
	}
	return bus.Out{Subject: m.Subject, Header: header, Body: body, Expect: m.Seq, Raw: true}
}

// turnedAround is the body of a message with another byte somewhere in the text
// that it has, nil where it has none.
func turnedAround(ctx context.Context, m *bus.Msg, stream string, how uint32) []byte {
	body, err := m.Body(ctx)
	if err != nil || stream != contract.StreamFiles && stream != contract.StreamChunks {
		return nil
	}
	text := slices.Clone(body)
	begin := 0
	if stream == contract.StreamChunks {
		if begin, err = strconv.Atoi(m.Header.Get(contract.HeaderMeta)); err != nil {
			return nil
		}
	}
	if begin < 0 || begin >= len(text) {
		return nil
	}
	at := begin + int(how/4)%(len(text)-begin)
	text[at] ^= 1 << (how / 2 % 3)
	return text
}
