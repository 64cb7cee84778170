package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/logcheck"
	"github.com/freshet-dev/freshet/pkg/document"
)

var (
	// ErrDamaged is in the error of Check and Restart where a part of the log
	// is not what was written to it. A start of the process heals it.
	ErrDamaged = errors.New("the log is damaged")
	// ErrSilent is in the error of Check where a stream does not answer. It may
	// be that the server cannot be stopped either.
	ErrSilent = errors.New("the log does not answer")
)

// answerWithin is how long the streams may take to say how they are, each of
// two times. A disk that is busy takes seconds at most; a stream that waits for
// itself does so for ever.
const answerWithin = 30 * time.Second

// Check looks whether the log is still what was written to it: every stream has
// to answer, and with files, which reads them all, none may have lost messages
// since the start, and each record has to agree with its checksum. b is a connection
// to this server. It finds nothing while the server is Broken. What it finds
// makes the next start compare everything.
func (s *Server) Check(ctx context.Context, b *bus.Bus, files bool) error {
	err := s.check(ctx, b, files, answerWithin)
	if errors.Is(err, ErrDamaged) {
		s.mu.Lock()
		s.hurt = true
		cut := strings.Join(s.cut, "\n")
		s.mu.Unlock()
		return errors.Join(err, block.WriteSynced(filepath.Join(s.cfg.Dir, damagedMarker), []byte(cut)))
	}
	return err
}

func (s *Server) check(ctx context.Context, b *bus.Bus, files bool, within time.Duration) error {
	s.mu.RLock()
	details := files || s.lost == nil
	s.mu.RUnlock()
	lost, err := answers(ctx, b, within, details)
	if errors.Is(err, ErrSilent) {
		lost, err = answers(ctx, b, within, details) // it may have been started again
	}
	if err == nil && details {
		err = s.moreLost(lost)
	}
	if err == nil && files {
		s.erasing.Lock() // it writes to the same files
		defer s.erasing.Unlock()
		err = s.inspect(ctx, b)
	}
	if s.Broken() != nil {
		return nil // a record may be written in part
	}
	return err
}

// moreLost compares what the server has lost with what it had at the start: an
// unclean stop may have cut the end off.
func (s *Server) moreLost(now map[string]int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = now
	}
	s.cut = nil
	for _, stream := range slices.Sorted(maps.Keys(now)) {
		if now[stream] > s.lost[stream] {
			s.cut = append(s.cut, stream)
		}
	}
	if len(s.cut) == 0 {
		return nil
	}
	return damagedError(s.cut[0], fmt.Sprintf("its server has lost %d messages", now[s.cut[0]]))
}

// damagedMarker is in the log's folder after a Check that found damage. It names
// the streams of which the server has cut something off, line by line: their
// files are whole.
const damagedMarker = "damage-seen"

// cutOff returns the streams that the last Check has noted as cut off.
func cutOff(dir string) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, damagedMarker))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what was noted of damage: %w", err)
	}
	return strings.Fields(string(raw)), nil
}

// inspect compares the files with their checksums.
func (s *Server) inspect(ctx context.Context, b *bus.Bus) error {
	findings, err := s.watch.Look(ctx, func(ctx context.Context, stream string) (logcheck.Claim, error) { return claimOf(ctx, b, stream) })
	if err != nil {
		return fmt.Errorf("compare the log with its checksums: %w", err)
	}
	if len(findings) == 0 {
		return nil
	}
	f := findings[0]
	return damagedError(f.Stream, strings.Join(f.Damage[:min(len(f.Damage), 3)], "; "))
}

func damagedError(stream, where string) error {
	return document.Errorf(document.Unavailable, "%w: the stream %s is not what was written to it (%s): start freshet again, which makes again what is lost and names what cannot be", ErrDamaged, stream, where)
}

// answers asks each stream how it is, and returns how many messages its server
// knows to be lost, where that is asked for.
func answers(ctx context.Context, b *bus.Bus, within time.Duration, details bool) (map[string]int, error) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	lost := map[string]int{}
	names := b.JetStream().StreamNames(limited)
	for name := range names.Name() {
		n, err := lostBy(limited, b, name, details)
		if err != nil {
			return nil, silence(ctx, limited, name, err)
		}
		lost[name] = n
	}
	if err := names.Err(); err != nil {
		return nil, silence(ctx, limited, "", err)
	}
	return lost, nil
}

// silence tells a stream that does not answer from a connection that is away.
func silence(ctx, limited context.Context, stream string, err error) error {
	if ctx.Err() != nil || limited.Err() == nil {
		return fmt.Errorf("look at the log: %w", err)
	}
	where := "its server"
	if stream != "" {
		where = "the stream " + stream
	}
	return document.Errorf(document.Unavailable, "%w: %s does not say how it is: start freshet again, which looks for damage, heals what can be and names what cannot", ErrSilent, where)
}

// lostBy returns how many messages of a stream its server knows to be lost: it
// cuts off what it cannot read of a block, so that the files are whole again, and
// tells that with the details alone.
func lostBy(ctx context.Context, b *bus.Bus, stream string, details bool) (int, error) {
	st, err := stateOf(ctx, b, stream, nil)
	if err == nil && details && st.NumDeleted <= mostDeleted {
		st, err = stateOf(ctx, b, stream, withDetails)
	}
	return len(st.Lost.Msgs), err
}

// withDetails asks for what was deleted and what was lost, number by number.
var withDetails = []byte(`{"deleted_details":true}`)

// mostDeleted keeps the server from listing numbers by the hundred megabytes,
// where a stream has jumped far ahead.
const mostDeleted = 1 << 24

// claimOf asks what the server says that it has of a stream: nothing of one that
// was deleted meanwhile.
func claimOf(ctx context.Context, b *bus.Bus, stream string) (logcheck.Claim, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	st, err := stateOf(ctx, b, stream, nil)
	if err != nil || st.Messages == 0 || st.NumDeleted > mostDeleted {
		return logcheck.Claim{First: 1}, err
	}
	st, err = stateOf(ctx, b, stream, withDetails)
	if err != nil || st.Messages == 0 {
		return logcheck.Claim{First: 1}, err
	}
	return logcheck.Claim{First: st.First, Last: st.Last, Deleted: st.Deleted}, nil
}

// state is what the server says of a stream.
type state struct {
	Messages   uint64   `json:"messages"`
	First      uint64   `json:"first_seq"`
	Last       uint64   `json:"last_seq"`
	NumDeleted int      `json:"num_deleted"`
	Deleted    []uint64 `json:"deleted"`
	Lost       struct {
		Msgs []uint64 `json:"msgs"`
	} `json:"lost"`
}

// stateOf asks for it; the zero state of a stream that was deleted meanwhile.
func stateOf(ctx context.Context, b *bus.Bus, stream string, req []byte) (state, error) {
	m, err := b.Conn().RequestWithContext(ctx, "$JS.API.STREAM.INFO."+stream, req)
	if err != nil {
		return state{}, err
	}
	var resp struct {
		State state `json:"state"`
	}
	if err := json.Unmarshal(m.Data, &resp); err != nil {
		return state{}, fmt.Errorf("read the state of %s: %w", stream, err)
	}
	return resp.State, nil
}

// doubt notes that the server doubts its files.
func (s *Server) doubt() {
	select {
	case s.doubts <- struct{}{}:
	default:
	}
}

// Doubts receives when the server has said that something is wrong with its
// files: a Check tells what.
func (s *Server) Doubts() <-chan struct{} { return s.doubts }
