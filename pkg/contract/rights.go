package contract

import (
	"slices"
	"strings"
)

// AliveSubject is the subject on which the holder of a role answers that it
// lives; the name is the process's own.
func AliveSubject(name string) string { return "freshet.alive." + name }

// Rights are what the user of one service may do on a NATS server, where each
// service has a user of its own. Everything else is refused.
type Rights struct {
	// Service is the program's name, and the user's.
	Service string
	// Makes: it makes streams and buckets, gives them their settings back, and
	// takes out what nobody names. The other services wait for the log.
	Makes bool
	// Reads are the streams whose messages it reads, ReadsBuckets the buckets.
	Reads, ReadsBuckets []string
	// Works are the streams that it acknowledges messages of.
	Works []string
	// Writes are the subjects of streams on which it publishes.
	Writes []string
	// Bodies: what it publishes may be large, and then lies in BucketBodies.
	Bodies bool
	// Keys are those that it writes, with their bucket.
	Keys []string
	// Removes are the streams out of which it takes single messages, and Purges
	// those out of which it takes all.
	Removes, Purges []string
	// Ends are the streams of which it lists and removes consumers.
	Ends []string
	// Answers are the requests that it answers, and Asks those that it sends.
	Answers, Asks []string
	// Tells and Hears are what is said without an answer.
	Tells, Hears []string
	// Found is the name under which tools discover it.
	Found []string
}

// ServiceRights are those of each service.
var ServiceRights = []Rights{
	{
		Service: "watcher", Makes: true, Bodies: true,
		Reads:        append(slices.Clone(Streams), StreamFeedback, StreamAudit),
		ReadsBuckets: []string{BucketMeta, BucketSources, BucketSuspects, BucketStores, BucketModels, BucketLeases, BucketStanding, BucketSummaries, BucketEvaluations, BucketKeys},
		Writes:       []string{StreamSubjects(StreamFiles)},
		Keys:         []string{BucketMeta + ".epochs", BucketMeta + ".losses", BucketMeta + ".role.watcher", BucketMeta + ".role.collector", BucketMeta + ".purge", BucketMeta + ".purge.*", BucketSources + ".*", BucketLeases + ".*", BucketStanding + ".*"},
		Removes:      append(slices.Clone(Streams), StreamFeedback, StreamAudit),
		Purges:       []string{StreamDead, KeyStream(BucketSources), KeyStream(BucketSummaries), KeyStream(BucketEvaluations), StreamBodies},
		Answers: []string{
			SubjectAnnounce, SubjectPut, SubjectDelete, SubjectExplainFile, SubjectSourcesList, SubjectSourcesAdd, SubjectSourcesRemove,
			SubjectVerifyFiles, SubjectReport, AliveSubject("*"),
		},
		Asks:  []string{SubjectSweep, SubjectEraseIndex, SubjectEraseLog, AliveSubject("*")},
		Tells: []string{AllChanges, NudgeSubject(StageChunker), SubjectRepair},
		Found: []string{"freshet-watcher"},
	},
	{
		Service: "chunker", Bodies: true,
		Reads:        []string{StreamFiles, StreamChunks, StreamDead},
		ReadsBuckets: []string{BucketMeta, BucketSuspects},
		Works:        []string{StreamFiles, StreamDead},
		Writes:       []string{StreamSubjects(StreamChunks), DeadSubject(StageChunker, "*", "*", "*")},
		Keys:         []string{BucketSuspects + "." + string(StageChunker) + ".>"},
		Removes:      []string{StreamChunks},
		Answers:      []string{SubjectReport},
		Tells:        []string{NudgeSubject(StageEmbed), NudgeSubject(StageLexical), SubjectUnread},
		Hears:        []string{NudgeSubject(StageChunker)},
	},
	{
		Service: "embedder", Bodies: true,
		Reads:        []string{StreamFiles, StreamChunks, StreamVectors, StreamDead},
		ReadsBuckets: []string{BucketMeta, BucketSuspects},
		Works:        []string{StreamChunks, StreamDead},
		Writes:       []string{StreamSubjects(StreamVectors), DeadSubject(StageEmbed, "*", "*", "*")},
		Keys:         []string{BucketSuspects + "." + string(StageEmbed) + ".>", BucketMeta + "." + KeySpent, BucketMeta + "." + KeyCanary + "*"},
		Removes:      []string{StreamVectors},
		Answers:      []string{SubjectEmbed, SubjectReport},
		Tells:        []string{NudgeSubject(StageVector), SubjectUnread},
		Hears:        []string{NudgeSubject(StageEmbed)},
		Found:        []string{"freshet-embedder"},
	},
	{
		Service: "indexer", Bodies: true,
		Reads:        Streams,
		ReadsBuckets: []string{BucketMeta, BucketSuspects, BucketStores},
		Works:        []string{StreamChunks, StreamVectors, StreamDead},
		Writes:       []string{StreamSubjects(StreamIndexed), DeadSubject(StageLexical, "*", "*", "*"), DeadSubject(StageVector, "*", "*", "*")},
		Keys: []string{
			BucketMeta + ".role.purger", BucketMeta + ".role.verifier", BucketMeta + ".role.keeper.>", BucketMeta + ".role.reclaimer", BucketMeta + ".superseded.*", BucketMeta + ".purge", BucketMeta + ".purge.*", BucketMeta + ".verify",
			BucketStores + ".>", BucketSuspects + "." + string(StageLexical) + ".>", BucketSuspects + "." + string(StageVector) + ".>",
		},
		Removes: Streams,
		// What nobody builds any more.
		Purges:  []string{StreamChunks, StreamVectors, StreamIndexed, StreamDead, KeyStream(BucketMeta), KeyStream(BucketStores)},
		Ends:    Streams,
		Answers: []string{SubjectSweep, SubjectEraseIndex, SubjectVerify, SubjectReport, AliveSubject("*")},
		Asks:    []string{SubjectSourcesList, SubjectVerifyFiles, SubjectReport, AliveSubject("*")},
		Tells:   []string{NudgeSubject(StageChunker), NudgeSubject(StageEmbed), SubjectRepair, SubjectUnread},
		Hears:   []string{NudgeSubject(StageLexical), NudgeSubject(StageVector), SubjectRepair, SubjectUnread},
		Found:   []string{"freshet-indexer", "freshet-verifier"},
	},
	{
		Service:      "query",
		Reads:        append(slices.Clone(Streams), StreamFeedback, StreamAudit),
		ReadsBuckets: []string{BucketMeta, BucketStores, BucketModels, BucketLeases, BucketStanding, BucketSummaries, BucketKeys},
		Writes:       []string{StreamSubjects(StreamDead), StreamSubjects(StreamFeedback), StreamSubjects(StreamAudit)},
		Keys:         []string{BucketModels + ".>", BucketLeases + ".*", BucketStanding + ".*", BucketSummaries + ".*.*", BucketKeys + ".*", BucketMeta + ".losses", BucketMeta + "." + KeyStanding, BucketMeta + "." + KeySummaries, BucketMeta + ".role." + KeySummaries, BucketMeta + "." + KeyUsage, BucketMeta + ".role." + KeyStanding, BucketMeta + "." + KeyAccepted, BucketMeta + "." + KeyReindex, BucketMeta + ".serving", BucketMeta + ".build.*", BucketMeta + ".analyzer.*", BucketMeta + ".role.switch"},
		Purges:       []string{StreamFeedback, KeyStream(BucketSummaries)},
		Answers: []string{
			SubjectSearch, SubjectGrep, SubjectFiles, SubjectRead, SubjectOutline, SubjectPassages, SubjectContext, SubjectRelated, SubjectAnswer, SubjectLeaseCheck, SubjectWatchAdd, SubjectWatchList, SubjectWatchRemove,
			SubjectStatus, SubjectExplainQuery, SubjectReranker, SubjectRanking, SubjectReport, AliveSubject("*"),
			SubjectDeadList, SubjectDeadShow, SubjectDeadRetry, SubjectDeadDrop, SubjectDeadOutcome,
			SubjectFeedback, SubjectFeedbackList, SubjectFeedbackPurge, SubjectAuditList, SubjectLosses, SubjectLossesAccept, SubjectBuildAccept, SubjectReindex,
			SubjectAccessList, SubjectKeysAdd, SubjectKeysList, SubjectKeysRevoke, SubjectKeysWho,
		},
		Asks:  []string{SubjectEmbed, SubjectSourcesList, SubjectVerifyFiles, SubjectReport, AliveSubject("*")},
		Tells: []string{SubjectRepair, SubjectUnread, AllStanding},
		Found: []string{"freshet"},
	},
	{
		Service:      "evaluator",
		ReadsBuckets: []string{BucketEvaluations},
		Keys:         []string{BucketEvaluations + ".*.*"},
		Purges:       []string{KeyStream(BucketEvaluations)},
		Answers:      []string{SubjectGoldenList, SubjectGoldenPut, SubjectGoldenRemove, SubjectEvaluate, SubjectEvaluationList, SubjectEvaluationRemove},
		Asks:         []string{SubjectSearch, SubjectSourcesList},
		Found:        []string{"freshet-evaluator"},
	},
	{
		// It asks for those whom it has let in, as a client does.
		Service: "gateway",
		Asks:    append(asked(), SubjectKeysWho),
		Hears:   []string{AllChanges, AllStanding},
	},
}

// asked are the requests that services answer, of all that clients may send.
func asked() (out []string) {
	for _, e := range Endpoints {
		if !strings.HasPrefix(e.Subject, "$") {
			out = append(out, e.Subject)
		}
	}
	return out
}

// Publishes returns the subjects on which the service may publish, sorted.
func (r Rights) Publishes() []string {
	out := slices.Concat(r.Writes, r.Asks, r.Tells)
	buckets := r.buckets()
	if r.OfLog() {
		// The client asks whether there is JetStream at all.
		out = append(out, "$JS.API.INFO")
		buckets = append(buckets, StreamBodies)
	}
	for _, key := range r.Keys {
		bucket, key, _ := strings.Cut(key, ".")
		out = append(out, KeyAddress(bucket, key))
	}
	if r.Bodies {
		out = append(out, "$O."+BucketBodies+".>")
	}
	for _, stream := range r.Reads {
		out = append(out, readsOf(stream)...)
		out = append(out, "$JS.API.CONSUMER.MSG.NEXT."+stream+".*")
	}
	for _, bucket := range buckets {
		out = append(out, readsOf(bucket)...)
		// The client ends what it reads a bucket with; nobody works on buckets.
		out = append(out, "$JS.API.CONSUMER.DELETE."+bucket+".*", "$JS.FC."+bucket+".>")
	}
	for _, stream := range r.Works {
		out = append(out, "$JS.ACK."+stream+".>")
	}
	for _, stream := range r.Removes {
		out = append(out, "$JS.API.STREAM.MSG.DELETE."+stream)
	}
	for _, stream := range r.Purges {
		out = append(out, "$JS.API.STREAM.PURGE."+stream)
	}
	for _, stream := range r.Ends {
		out = append(out, "$JS.API.CONSUMER.NAMES."+stream, "$JS.API.CONSUMER.DELETE."+stream+".*")
	}
	if r.Makes {
		for _, stream := range slices.Concat(r.Reads, buckets) {
			out = append(out, "$JS.API.STREAM.CREATE."+stream, "$JS.API.STREAM.UPDATE."+stream)
		}
	}
	if len(r.Asks) > 0 {
		out = append(out, CancelSubject("*"))
	}
	for _, user := range r.askedBy() {
		out = append(out, InboxOf(user)+".>")
	}
	return sorted(out)
}

// Listens returns the subjects that the service may listen to, sorted.
func (r Rights) Listens() []string {
	out := append(slices.Concat(r.Answers, r.Hears), InboxOf(r.Service)+".>")
	if len(r.Found) > 0 {
		out = append(out, CancelSubject("*"))
	}
	for _, verb := range []string{"PING", "INFO", "STATS"} { // a wildcard there would be all of $SRV
		for i, name := range r.Found {
			if i == 0 {
				out = append(out, "$SRV."+verb)
			}
			out = append(out, "$SRV."+verb+"."+name, "$SRV."+verb+"."+name+".*")
		}
	}
	return sorted(out)
}

// OfLog reports whether the service reads the log; else it asks, and no more.
func (r Rights) OfLog() bool { return len(r.Reads) > 0 }

// buckets are the streams behind the key-value buckets that it reads.
func (r Rights) buckets() (out []string) {
	for _, bucket := range r.ReadsBuckets {
		out = append(out, KeyStream(bucket))
	}
	return out
}

// readsOf are the requests by which a stream is read.
func readsOf(stream string) []string {
	return []string{
		"$JS.API.STREAM.INFO." + stream, "$JS.API.STREAM.MSG.GET." + stream,
		"$JS.API.DIRECT.GET." + stream, "$JS.API.DIRECT.GET." + stream + ".>",
		"$JS.API.CONSUMER.CREATE." + stream + ".>", "$JS.API.CONSUMER.INFO." + stream + ".*",
	}
}

// askedBy are the users that send the service requests: roles, and services.
func (r Rights) askedBy() (users []string) {
	for _, role := range Roles {
		if overlap(role.Asks(), r.Answers) {
			users = append(users, string(role))
		}
	}
	for _, other := range ServiceRights {
		if overlap(other.Asks, r.Answers) {
			users = append(users, other.Service)
		}
	}
	return users
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func sorted(subjects []string) []string {
	slices.SortFunc(subjects, strings.Compare)
	return slices.Compact(subjects)
}
