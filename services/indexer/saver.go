package indexer

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/store"
)

// complaints are what the status says of the store: that it is not looked after,
// that what it holds is not in its files, or that these could not be read and it
// is not filled again yet.
func (s *holder) complaints() []string {
	name := fmt.Sprintf("%s store of %s: ", s.sink, s.generation)
	var out []string
	if _, err := s.looked(); err != nil {
		out = append(out, name+err.Error())
	}
	saver, ok := s.store.(store.Saver)
	if !ok {
		return out
	}
	if err := saver.SnapshotErr(); err != nil {
		out = append(out, fmt.Sprintf("%sits files are behind what it holds, so that the next start takes longer: %s", name, err))
	}
	if what := saver.Recovered(); what != "" && !s.outlook.filled.Load() {
		out = append(out, fmt.Sprintf("%sit is filled again from the log: %s", name, what))
	}
	return out
}

// tellRecovered logs what the status says only until the store is filled again.
func (s *holder) tellRecovered() {
	if saver, ok := s.store.(store.Saver); ok && saver.Recovered() != "" {
		s.log.Warn("the store is filled again from the log", "generation", s.generation, "sink", s.sink, "cause", saver.Recovered())
	}
}
