package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// The streams of the log.
const (
	StreamFiles   = "FILES"
	StreamChunks  = "CHUNKS"
	StreamVectors = "VECTORS"
	StreamIndexed = "INDEXED"
	StreamDead    = "DEAD"
	// StreamFeedback keeps what people did with hits. Nothing is made of it, so
	// it is none of Streams.
	StreamFeedback = "FEEDBACK"
	// StreamAudit keeps who asked what and saw which documents, where access.audit says
	// so. Nothing is made of it either.
	StreamAudit = "AUDIT"
)

// Streams lists the streams in the order in which changes flow through them.
var Streams = []string{StreamFiles, StreamChunks, StreamVectors, StreamIndexed, StreamDead}

// StreamSubjects returns the subjects that a stream is bound to.
func StreamSubjects(stream string) string {
	switch stream {
	case StreamFiles:
		return "freshet.files.*.*.*"
	case StreamChunks:
		return "freshet.chunks.*.*.*"
	case StreamVectors:
		return "freshet.vectors.*.*.*"
	case StreamIndexed:
		return "freshet.indexed.*.*.*.*"
	case StreamDead:
		return "freshet.dead.*.*.*.*"
	case StreamFeedback:
		return "freshet.feedback.events.*"
	case StreamAudit:
		return "freshet.audit.entries.*"
	}
	panic("contract: unknown stream " + stream)
}

// Endpoints of core NATS request/reply, and plain subjects.
const (
	SubjectSearch   = "freshet.query.search"
	SubjectGrep     = "freshet.query.grep"
	SubjectFiles    = "freshet.query.files"
	SubjectAnswer   = "freshet.query.answer"
	SubjectPassages = "freshet.query.passages"
	SubjectRead     = "freshet.query.read"
	SubjectOutline  = "freshet.query.outline"
	SubjectRelated  = "freshet.query.related"
	SubjectContext  = "freshet.query.context"
	// SubjectLeaseCheck says what has become of what a lease holds.
	SubjectLeaseCheck = "freshet.lease.check"
	// SubjectWatchAdd keeps a question, whose hits are told as they come.
	SubjectWatchAdd      = "freshet.watch.add"
	SubjectWatchList     = "freshet.watch.list"
	SubjectWatchRemove   = "freshet.watch.remove"
	SubjectStatus        = "freshet.query.status"
	SubjectEmbed         = "freshet.embed"
	SubjectAnnounce      = "freshet.files.announce"
	SubjectPut           = "freshet.files.put"
	SubjectDelete        = "freshet.files.delete"
	SubjectExplainFile   = "freshet.files.explain"
	SubjectExplainQuery  = "freshet.query.explain"
	SubjectReranker      = "freshet.query.reranker"
	SubjectRanking       = "freshet.query.ranking"
	SubjectDeadList      = "freshet.dlq.list"
	SubjectDeadShow      = "freshet.dlq.show"
	SubjectDeadRetry     = "freshet.dlq.retry"
	SubjectDeadDrop      = "freshet.dlq.drop"
	SubjectDeadOutcome   = "freshet.dlq.outcome"
	SubjectFeedback      = "freshet.feedback"
	SubjectFeedbackList  = "freshet.feedback.list"
	SubjectFeedbackPurge = "freshet.feedback.purge"
	// SubjectAuditList lists who asked what and saw which documents.
	SubjectAuditList = "freshet.audit.list"
	// SubjectGoldenList lists the golden questions that are kept.
	SubjectGoldenList   = "freshet.golden.list"
	SubjectGoldenPut    = "freshet.golden.put"
	SubjectGoldenRemove = "freshet.golden.remove"
	// SubjectEvaluate asks the golden questions, and keeps what that found. The answer is
	// a stream of EvaluationPart.
	SubjectEvaluate         = "freshet.evaluation.run"
	SubjectEvaluationList   = "freshet.evaluation.list"
	SubjectEvaluationRemove = "freshet.evaluation.remove"
	// Keys by which people and programs are let in over HTTP. SubjectKeysWho is the
	// gateway's alone: it says whose a key is.
	// SubjectAccessList tells the rules of who sees what.
	SubjectAccessList = "freshet.access.list"
	SubjectKeysAdd    = "freshet.keys.add"
	SubjectKeysList   = "freshet.keys.list"
	SubjectKeysRevoke = "freshet.keys.revoke"
	SubjectKeysWho    = "freshet.keys.who"
	// SubjectLosses lists what the log has lost and cannot make again, and
	// SubjectLossesAccept accepts that.
	SubjectLosses       = "freshet.log.losses"
	SubjectLossesAccept = "freshet.log.accept"
	// SubjectBuildAccept has a build begun that is held because it is above the
	// limits.
	SubjectBuildAccept = "freshet.build.accept"
	// SubjectReindex has the index made once more beside the one that answers, or
	// goes back to the former; both need admin.
	SubjectReindex = "freshet.build.reindex"
	// SubjectReload has the process that runs everything read its configuration again,
	// and what that says of passages and vectors built beside what answers; needs admin.
	SubjectReload        = "freshet.build.reload"
	SubjectSourcesList   = "freshet.sources.list"
	SubjectSourcesAdd    = "freshet.sources.add"
	SubjectSourcesRemove = "freshet.sources.remove"
	// SubjectRepair carries what a query found in a sink but not in the log, and what a
	// purge took out of the log that was listed for a sink.
	SubjectRepair = "freshet.repair"
	// SubjectUnread says of which document a message of the log cannot be read.
	SubjectUnread = "freshet.unread"
	// SubjectSweep asks an indexer to compare its store with INDEXED now.
	SubjectSweep = "freshet.index.sweep"
	// SubjectEraseIndex has the stores' files written anew without what was
	// removed, as far as they are freshet's own.
	SubjectEraseIndex = "freshet.index.erase"
	// SubjectEraseLog has what was removed from the log overwritten in its
	// files; only the embedded server answers.
	SubjectEraseLog = "freshet.log.erase"
	// SubjectVerify asks to compare sources, log and stores, and to repair the
	// difference. The answer is a stream of VerifyPart.
	SubjectVerify = "freshet.verify"
	// SubjectVerifyFiles is the watcher's part of it.
	SubjectVerifyFiles = "freshet.files.verify"
	// SubjectReport asks every service for its part of the status.
	SubjectReport = "freshet.report"
)

// Stage names a worker stage in nudges and dead letters.
type Stage string

// The stages.
const (
	StageChunker Stage = "chunker"
	StageEmbed   Stage = "embedder"
	StageLexical Stage = "indexer-lexical"
	StageVector  Stage = "indexer-vector"
)

// Stages lists the stages in the order of the pipeline.
var Stages = []Stage{StageChunker, StageEmbed, StageLexical, StageVector}

// NudgeSubject is the core NATS subject on which a stage is told of a live
// change; the message's body is the subject of the head to handle.
func NudgeSubject(s Stage) string { return "freshet.nudge." + string(s) }

// CancelSubject is the core NATS subject on which a caller says that it has
// left; id is of its own making, one token that nobody can guess.
func CancelSubject(id string) string { return "freshet.cancel." + id }

// FileSubject returns the subject of one document's head in one view.
func FileSubject(s document.Source, d document.DocID, v document.View) string {
	return "freshet.files." + string(s) + "." + string(d) + "." + EncodeView(v)
}

// ChunksSubject returns the subject of a document's chunks.
func ChunksSubject(g document.Generation, s document.Source, d document.DocID) string {
	return "freshet.chunks." + string(g) + "." + string(s) + "." + string(d)
}

// VectorsSubject returns the subject of a document's vectors.
func VectorsSubject(g document.Generation, s document.Source, d document.DocID) string {
	return "freshet.vectors." + string(g) + "." + string(s) + "." + string(d)
}

// IndexedSubject returns the subject of what a sink shows of a document.
func IndexedSubject(g document.Generation, k document.Sink, s document.Source, d document.DocID) string {
	return "freshet.indexed." + string(g) + "." + string(k) + "." + string(s) + "." + string(d)
}

// DeadSubject returns the subject of the last failure of a stage on a path, while it
// made a build.
func DeadSubject(st Stage, s document.Source, d document.DocID, b BuildID) string {
	return "freshet.dead." + string(st) + "." + string(s) + "." + string(d) + "." + string(b)
}

// FeedbackEventSubject returns the subject of the events about the same hits of
// the same answer; about is [Feedback.About].
func FeedbackEventSubject(about string) string { return "freshet.feedback.events." + about }

// AuditEntrySubject returns the subject of one entry of the audit log.
func AuditEntrySubject(id string) string { return "freshet.audit.entries." + id }

// Key is a parsed subject of any stream; fields that the subject does not have
// are empty.
type Key struct {
	Stream     string
	Source     document.Source
	Doc        document.DocID
	View       document.View
	Generation document.Generation
	Sink       document.Sink
	Stage      Stage
	Build      BuildID
	About      string
}

// ParseSubject reads a subject of one of the streams.
func ParseSubject(subject string) (Key, error) {
	t := strings.Split(subject, ".")
	bad := func() (Key, error) {
		return Key{}, fmt.Errorf("subject %q belongs to no stream of freshet", subject)
	}
	if len(t) < 4 || t[0] != "freshet" || slices.Contains(t, "") {
		return bad()
	}
	switch {
	case t[1] == "files" && len(t) == 5:
		v, err := DecodeView(t[4])
		if err != nil {
			return Key{}, err
		}
		return Key{Stream: StreamFiles, Source: document.Source(t[2]), Doc: document.DocID(t[3]), View: v}, nil
	case t[1] == "chunks" && len(t) == 5:
		return Key{Stream: StreamChunks, Generation: document.Generation(t[2]), Source: document.Source(t[3]), Doc: document.DocID(t[4])}, nil
	case t[1] == "vectors" && len(t) == 5:
		return Key{Stream: StreamVectors, Generation: document.Generation(t[2]), Source: document.Source(t[3]), Doc: document.DocID(t[4])}, nil
	case t[1] == "indexed" && len(t) == 6:
		return Key{Stream: StreamIndexed, Generation: document.Generation(t[2]), Sink: document.Sink(t[3]), Source: document.Source(t[4]), Doc: document.DocID(t[5])}, nil
	case t[1] == "dead" && len(t) == 6:
		return Key{Stream: StreamDead, Stage: Stage(t[2]), Source: document.Source(t[3]), Doc: document.DocID(t[4]), Build: BuildID(t[5])}, nil
	case t[1] == "feedback" && t[2] == "events" && len(t) == 4:
		return Key{Stream: StreamFeedback, About: t[3]}, nil
	case t[1] == "audit" && t[2] == "entries" && len(t) == 4:
		return Key{Stream: StreamAudit, About: t[3]}, nil
	}
	return bad()
}

// EncodeView makes a view fit into one subject token: bytes outside
// [a-z0-9-] become _XX in hexadecimal.
func EncodeView(v document.View) string {
	var b strings.Builder
	for _, c := range []byte(v) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "_%02X", c)
	}
	return b.String()
}

// DecodeView reverses EncodeView. What EncodeView does not write is an error:
// two spellings of one view would be two subjects for one head.
func DecodeView(s string) (document.View, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '_' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", fmt.Errorf("view %q ends within an escape", s)
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", fmt.Errorf("view %q has a broken escape: %w", s, err)
		}
		b.WriteByte(byte(c))
		i += 2
	}
	v := document.View(b.String())
	if EncodeView(v) != s {
		return "", fmt.Errorf("view %q is not in the encoded form %q", s, EncodeView(v))
	}
	return v, nil
}
