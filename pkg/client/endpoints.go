package client

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// The longest times in which answers are awaited. They keep a caller from
// hanging where a service does not come to answer; a service's own deadlines
// are shorter.
const (
	brief   = 10 * time.Second // what is known already
	reading = 35 * time.Second // some documents are read or written
	whole   = 10 * time.Minute // whole sources, stores or the log are read
)

// Questions, and what is known.
var (
	Search       = Endpoint[contract.SearchRequest, contract.SearchReply]{contract.SubjectSearch, searchTime}
	Grep         = Endpoint[contract.GrepRequest, contract.GrepReply]{contract.SubjectGrep, grepTime}
	Files        = Stream[contract.FilesRequest, contract.FilesPart]{contract.SubjectFiles}
	Answer       = Stream[contract.AnswerRequest, contract.AnswerPart]{contract.SubjectAnswer}
	Read         = Endpoint[contract.ReadRequest, contract.ReadReply]{contract.SubjectRead, readTime}
	Outline      = Endpoint[contract.OutlineRequest, contract.OutlineReply]{contract.SubjectOutline, outlineTime}
	Passages     = Endpoint[contract.PassagesRequest, contract.PassagesReply]{contract.SubjectPassages, passagesTime}
	Context      = Endpoint[contract.ContextRequest, contract.ContextReply]{contract.SubjectContext, contextTime}
	Related      = Endpoint[contract.RelatedRequest, contract.RelatedReply]{contract.SubjectRelated, relatedTime}
	CheckLease   = Endpoint[contract.LeaseCheck, contract.LeaseNews]{contract.SubjectLeaseCheck, leaseTime}
	AddWatch     = Endpoint[contract.WatchAdd, contract.Watched]{contract.SubjectWatchAdd, within[contract.WatchAdd](reading)}
	ListWatches  = Endpoint[struct{}, contract.WatchList]{contract.SubjectWatchList, within[struct{}](brief)}
	RemoveWatch  = Endpoint[contract.WatchRemove, contract.WatchList]{contract.SubjectWatchRemove, within[contract.WatchRemove](brief)}
	Embed        = Endpoint[contract.EmbedRequest, contract.EmbedReply]{contract.SubjectEmbed, within[contract.EmbedRequest](brief)}
	ExplainFile  = Endpoint[contract.ExplainFile, contract.FileExplanation]{contract.SubjectExplainFile, within[contract.ExplainFile](reading)}
	ExplainQuery = Endpoint[contract.ExplainQuery, contract.Explanation]{contract.SubjectExplainQuery, within[contract.ExplainQuery](reading)}
	Status       = Endpoint[struct{}, contract.StatusReply]{contract.SubjectStatus, within[struct{}](brief)}
	Sources      = Endpoint[struct{}, contract.SourceList]{contract.SubjectSourcesList, within[struct{}](brief)}
)

// ListAccess asks for the rules of who sees what.
var ListAccess = Endpoint[struct{}, contract.AccessList]{contract.SubjectAccessList, within[struct{}](brief)}

// Keys by which people and programs are let in over HTTP. Whose one is the gateway asks.
var (
	AddKey    = Endpoint[contract.KeyAdd, contract.KeyAdded]{contract.SubjectKeysAdd, within[contract.KeyAdd](reading)}
	ListKeys  = Endpoint[struct{}, contract.KeyList]{contract.SubjectKeysList, within[struct{}](reading)}
	RevokeKey = Endpoint[contract.KeyRevoke, contract.KeyList]{contract.SubjectKeysRevoke, within[contract.KeyRevoke](reading)}
	WhoseKey  = Endpoint[contract.KeyWho, contract.Principal]{contract.SubjectKeysWho, within[contract.KeyWho](brief)}
)

// Changes of documents and sources.
var (
	Announce     = Endpoint[contract.Announce, contract.AnnounceReply]{contract.SubjectAnnounce, within[contract.Announce](whole)}
	Put          = Endpoint[contract.PutRequest, contract.WriteReply]{contract.SubjectPut, within[contract.PutRequest](reading)}
	Delete       = Endpoint[contract.DeleteRequest, contract.WriteReply]{contract.SubjectDelete, within[contract.DeleteRequest](reading)}
	AddSource    = Endpoint[contract.SourceAdd, contract.SourceList]{contract.SubjectSourcesAdd, within[contract.SourceAdd](whole)}
	RemoveSource = Endpoint[contract.SourceRemove, contract.SourceList]{contract.SubjectSourcesRemove, within[contract.SourceRemove](whole)}
)

// What people said of answers, and what was learned of it.
var (
	GiveFeedback  = Endpoint[contract.Feedback, contract.FeedbackReply]{contract.SubjectFeedback, within[contract.Feedback](brief)}
	ListFeedback  = Endpoint[contract.FeedbackListRequest, contract.FeedbackListReply]{contract.SubjectFeedbackList, within[contract.FeedbackListRequest](brief)}
	ListAudit     = Endpoint[contract.AuditListRequest, contract.AuditListReply]{contract.SubjectAuditList, within[contract.AuditListRequest](reading)}
	PurgeFeedback = Endpoint[struct{}, contract.FeedbackPurgeReply]{contract.SubjectFeedbackPurge, within[struct{}](reading)}
	Reranker      = Endpoint[contract.RerankerRequest, contract.RerankerReply]{contract.SubjectReranker, within[contract.RerankerRequest](brief)}
	Ranking       = Endpoint[contract.RankingRequest, contract.RankingReply]{contract.SubjectRanking, within[contract.RankingRequest](brief)}
)

// Golden questions, and what is found by them.
var (
	ListGolden       = Endpoint[struct{}, contract.GoldenList]{contract.SubjectGoldenList, within[struct{}](brief)}
	PutGolden        = Endpoint[contract.GoldenQuestion, contract.GoldenList]{contract.SubjectGoldenPut, within[contract.GoldenQuestion](reading)}
	RemoveGolden     = Endpoint[contract.GoldenRemove, contract.GoldenList]{contract.SubjectGoldenRemove, within[contract.GoldenRemove](reading)}
	Evaluate         = Stream[contract.EvaluateRequest, contract.EvaluationPart]{contract.SubjectEvaluate}
	ListEvaluations  = Endpoint[contract.EvaluationListRequest, contract.EvaluationList]{contract.SubjectEvaluationList, within[contract.EvaluationListRequest](brief)}
	RemoveEvaluation = Endpoint[contract.EvaluationRemove, contract.EvaluationList]{contract.SubjectEvaluationRemove, within[contract.EvaluationRemove](reading)}
)

// Dead letters.
var (
	ListDead    = Endpoint[contract.DeadListRequest, contract.DeadListReply]{contract.SubjectDeadList, within[contract.DeadListRequest](brief)}
	ShowDead    = Endpoint[contract.DeadShowRequest, contract.DeadShowReply]{contract.SubjectDeadShow, within[contract.DeadShowRequest](brief)}
	RetryDead   = Endpoint[contract.DeadChange, contract.DeadChangeReply]{contract.SubjectDeadRetry, within[contract.DeadChange](reading)}
	DropDead    = Endpoint[contract.DeadChange, contract.DeadChangeReply]{contract.SubjectDeadDrop, within[contract.DeadChange](reading)}
	DeadOutcome = Endpoint[contract.DeadOutcomeRequest, contract.DeadOutcomeReply]{contract.SubjectDeadOutcome, within[contract.DeadOutcomeRequest](brief)}
)

// Comparisons, losses, a build that is held, and the end of what was removed.
var (
	Verify       = Stream[contract.VerifyRequest, contract.VerifyPart]{contract.SubjectVerify}
	VerifyFiles  = Stream[contract.VerifyFilesRequest, contract.VerifyPart]{contract.SubjectVerifyFiles}
	Losses       = Endpoint[struct{}, contract.LossList]{contract.SubjectLosses, within[struct{}](brief)}
	AcceptLosses = Endpoint[struct{}, contract.LossList]{contract.SubjectLossesAccept, within[struct{}](whole)}
	AcceptBuild  = Endpoint[contract.BuildAccept, contract.BuildAccepted]{contract.SubjectBuildAccept, within[contract.BuildAccept](brief)}
	Reindex      = Endpoint[contract.ReindexRequest, contract.ReindexReply]{contract.SubjectReindex, within[contract.ReindexRequest](reading)}
	Reload       = Endpoint[contract.ReloadRequest, contract.ReloadReply]{contract.SubjectReload, within[contract.ReloadRequest](whole)}
	Sweep        = Endpoint[struct{}, contract.SweepReply]{contract.SubjectSweep, within[struct{}](whole)}
	EraseIndex   = Endpoint[struct{}, contract.EraseReply]{contract.SubjectEraseIndex, within[struct{}](whole)}
	EraseLog     = Endpoint[struct{}, contract.EraseReply]{contract.SubjectEraseLog, within[struct{}](whole)}
)

func within[Req any](limit time.Duration) func(Req) time.Duration {
	return func(Req) time.Duration { return limit }
}

// searchTime, grepTime, readTime, outlineTime, passagesTime and contextTime are the request's own deadline and a little more, so
// that the service is the one to say that it has passed.
func searchTime(req contract.SearchRequest) time.Duration { return past(req.DeadlineMS) }

func grepTime(req contract.GrepRequest) time.Duration { return past(req.DeadlineMS) }

func readTime(req contract.ReadRequest) time.Duration { return past(req.DeadlineMS) }

func outlineTime(req contract.OutlineRequest) time.Duration { return past(req.DeadlineMS) }

func passagesTime(req contract.PassagesRequest) time.Duration { return past(req.DeadlineMS) }

func contextTime(req contract.ContextRequest) time.Duration { return past(req.DeadlineMS) }

func relatedTime(req contract.RelatedRequest) time.Duration { return past(req.DeadlineMS) }

func leaseTime(req contract.LeaseCheck) time.Duration { return past(req.DeadlineMS) }

// past is a little more than a deadline. Without one the service takes that of its
// configuration, which only it knows.
func past(deadlineMS int) time.Duration {
	if deadlineMS == 0 {
		return reading
	}
	return max(brief, time.Duration(deadlineMS)*time.Millisecond+deadlineGrace)
}

const deadlineGrace = 3 * time.Second
