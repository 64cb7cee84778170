package contract

import "slices"

// Role is what a client may do on the bus.
type Role string

// The roles. Write includes ask and announce, admin all others.
const (
	RoleAsk      Role = "ask"      // search, grep, files, read, outline, related, explain, status, changes
	RoleAnnounce Role = "announce" // have paths looked at: hooks, tokens
	RoleWrite    Role = "write"    // documents, sources, feedback
	RoleAdmin    Role = "admin"    // compare and repair, dead letters, models
)

// Roles lists the roles, the least first.
var Roles = []Role{RoleAsk, RoleAnnounce, RoleWrite, RoleAdmin}

// includes are the roles whose subjects a role has besides its own.
var includes = map[Role][]Role{
	RoleWrite: {RoleAsk, RoleAnnounce},
	RoleAdmin: {RoleAsk, RoleAnnounce, RoleWrite},
}

// Access says which role a request on a subject needs.
type Access struct {
	Subject string
	Role    Role
	// Narrowed says that the answer keeps to the documents that whoever asks may see,
	// so that those may ask who see only a part.
	Narrowed bool
}

// Endpoints are the subjects of requests that clients may send, each once. What
// is not here is between the services: streams, buckets, nudges, reports.
var Endpoints = []Access{
	{SubjectSearch, RoleAsk, true},
	{SubjectGrep, RoleAsk, true},
	{SubjectFiles, RoleAsk, true},
	{SubjectAnswer, RoleAsk, true},
	{SubjectRead, RoleAsk, true},
	{SubjectOutline, RoleAsk, true},
	{SubjectPassages, RoleAsk, true},
	{SubjectContext, RoleAsk, true},
	{SubjectRelated, RoleAsk, true},
	{SubjectLeaseCheck, RoleAsk, true},
	{SubjectWatchAdd, RoleAsk, true},
	{SubjectWatchList, RoleAsk, true},
	{SubjectWatchRemove, RoleAsk, true},
	{SubjectStatus, RoleAsk, true},
	{SubjectExplainQuery, RoleAsk, true},
	{SubjectExplainFile, RoleAsk, true},
	{SubjectSourcesList, RoleAsk, true},
	{SubjectEmbed, RoleAsk, true},

	{SubjectAnnounce, RoleAnnounce, false},

	{SubjectPut, RoleWrite, true},
	{SubjectDelete, RoleWrite, true},
	{SubjectSourcesAdd, RoleWrite, false},
	{SubjectSourcesRemove, RoleWrite, false},
	{SubjectFeedback, RoleWrite, true},
	{SubjectFeedbackList, RoleWrite, true},

	{SubjectGoldenList, RoleAsk, false},
	{SubjectGoldenPut, RoleWrite, false},
	{SubjectGoldenRemove, RoleWrite, false},
	{SubjectEvaluate, RoleWrite, false},
	{SubjectEvaluationList, RoleAsk, false},
	{SubjectEvaluationRemove, RoleWrite, false},

	{SubjectFeedbackPurge, RoleAdmin, false},
	{SubjectAuditList, RoleAdmin, false},
	{SubjectLosses, RoleAsk, false},
	{SubjectLossesAccept, RoleAdmin, false},
	{SubjectBuildAccept, RoleAdmin, false},
	{SubjectReindex, RoleAdmin, false},
	{SubjectReload, RoleAdmin, false},
	{SubjectReranker, RoleAdmin, false},
	{SubjectRanking, RoleAdmin, false},
	{SubjectAccessList, RoleAdmin, false},
	{SubjectKeysAdd, RoleAdmin, false},
	{SubjectKeysList, RoleAdmin, false},
	{SubjectKeysRevoke, RoleAdmin, false},
	{SubjectDeadList, RoleAdmin, false},
	{SubjectDeadShow, RoleAdmin, false},
	{SubjectDeadRetry, RoleAdmin, false},
	{SubjectDeadDrop, RoleAdmin, false},
	{SubjectDeadOutcome, RoleAdmin, false},
	{SubjectSweep, RoleAdmin, false},
	{SubjectEraseIndex, RoleAdmin, false},
	{SubjectEraseLog, RoleAdmin, false},
	{SubjectVerify, RoleAdmin, false},
	{SubjectVerifyFiles, RoleAdmin, false},
	// Discovery of the services: their answers go to whatever subject the
	// request names, with the services' rights.
	{"$SRV.>", RoleAdmin, false},
}

// Feeds are the subjects that clients may listen to, besides their own inbox.
var Feeds = []Access{
	{AllChanges, RoleAsk, false},
	{AllStanding, RoleAsk, false},
}

// RoleFor returns the role that a request on a subject, or listening to it, needs;
// ok is false for what no client may.
func RoleFor(subject string) (role Role, ok bool) {
	for _, a := range slices.Concat(Endpoints, Feeds) {
		if a.Subject == subject {
			return a.Role, true
		}
	}
	return "", false
}

// Includes reports whether a role may do what another may.
func (r Role) Includes(other Role) bool {
	return r == other || slices.Contains(includes[r], other)
}

// Asks returns the subjects on which a role may send requests.
func (r Role) Asks() []string { return r.of(Endpoints) }

// Hears returns the subjects that a role may listen to besides its inbox.
func (r Role) Hears() []string { return r.of(Feeds) }

func (r Role) of(table []Access) []string {
	var out []string
	for _, a := range table {
		if r.Includes(a.Role) {
			out = append(out, a.Subject)
		}
	}
	return out
}

// InboxOf is the prefix of the subjects on which a user of the NATS server is
// answered. Its permissions let it listen to no other, so that nobody reads
// what others are told; it also says who asks.
func InboxOf(user string) string { return "_INBOX." + user }
