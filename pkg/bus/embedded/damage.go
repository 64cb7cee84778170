package embedded

import (
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/logcheck"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// damage is what the embedded server's files were found to have lost before it
// opened them.
type damage struct {
	bus.Damage
	findings []logcheck.Finding
}

// examine reads the log's files while the server is down, and takes out what is
// damaged. Everything but FILES is made again from FILES, and FILES from the
// sources; what nothing else holds is a loss, which is noted on the disk before
// anything is changed.
func (s *Server) examine() error {
	opened, err := logcheck.Open(s.cfg.Dir, !s.unclean)
	if err != nil {
		return document.Errorf(document.Unavailable, "the log under %s cannot be read: check its permissions: %w", s.cfg.Dir, err)
	}
	cut, err := cutOff(s.cfg.Dir)
	if err != nil {
		return document.Errorf(document.Unavailable, "the log under %s cannot be read: check its permissions: %w", s.cfg.Dir, err)
	}
	for _, stream := range cut {
		opened.Doubt(stream)
	}
	for stream, seq := range s.seen {
		opened.Floor(stream, seq)
	}
	if s.unclean {
		// Before anything is mended, for those streams are then as they should be.
		n, err := bury(opened)
		if err != nil {
			return document.Errorf(document.Unavailable, "the log under %s cannot be opened: check its permissions: %w", s.cfg.Dir, err)
		}
		s.cfg.Log.Debug("messages that were deleted stay so", "messages", n)
	}
	if len(opened.Damaged()) == 0 {
		if err := logcheck.KeepSettings(s.cfg.Dir); err != nil {
			s.cfg.Log.Warn("the settings of the log were not copied", "error", err)
		}
		return nil
	}
	d, err := assess(opened)
	if err == nil {
		err = noteIn(s.cfg.Dir).add(d.Damage)
	}
	if err == nil {
		err = opened.Mend()
	}
	if err != nil {
		return document.Errorf(document.Unavailable, "the log under %s is damaged and cannot be mended: %w", s.cfg.Dir, err)
	}
	s.damage.findings = append(s.damage.findings, d.findings...)
	s.unclean = true // the stages read their inputs again, and the stores are compared
	return nil
}

// bury keeps what was purged from coming back, and returns how many messages that was.
func bury(l *logcheck.Log) (int, error) {
	var purged bus.Purged
	err := l.Messages(contract.KeyStream(contract.BucketMeta), func(m logcheck.Message) {
		purged.Add(keyOf(contract.BucketMeta, m.Subject), m.Body)
	})
	if err != nil {
		return 0, err
	}
	return l.Bury(func(stream string, m logcheck.Message) bool {
		return purged.Has(stream, m.Subject, m.Seq, headersOf(m))
	})
}

// Damage says, in a sentence for each stream, what of the log was damaged when
// the server was started.
func (s *Server) Damage() []string {
	var out []string
	for _, f := range s.damage.findings {
		places := f.Damage
		if len(places) == 0 {
			places = []string{"what its messages name was lost elsewhere"}
		}
		if n := len(places); n > 3 {
			places = append(places[:3:3], fmt.Sprintf("%d more places", n-3))
		}
		lost := fmt.Sprintf("%d messages were taken out", len(f.Lost))
		if f.Unsure {
			lost = fmt.Sprintf("%d messages that are known and perhaps others were taken out", len(f.Lost))
		}
		out = append(out, fmt.Sprintf("the stream %s was damaged (%s): %s, what can be is made again from the sources, and what cannot is listed as lost",
			f.Stream, strings.Join(places, "; "), lost))
	}
	return out
}

// assess decides what else has to go, and what cannot be made again.
func assess(l *logcheck.Log) (damage, error) {
	a := assessment{log: l, kinds: map[document.Source]string{}, paths: map[docOf]document.Path{}, deleted: map[bus.FileKey]bool{}}
	for _, step := range []func() error{a.readSources, a.readOutputs, a.readFiles, a.checkBodies, a.dropOutputs} {
		if err := step(); err != nil {
			return damage{}, err
		}
	}
	findings, err := l.Findings()
	if err != nil {
		return damage{}, err
	}
	d := damage{findings: findings}
	for _, f := range findings {
		d.Files = d.Files || f.Stream == contract.StreamFiles
		d.Losses = append(d.Losses, a.losses(f)...)
	}
	return d, nil
}
