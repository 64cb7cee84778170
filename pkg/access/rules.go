package access

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Rules are those of a file, which is looked at with each question. nil are those of a
// freshet without any: everybody sees everything. They are safe for concurrent use.
type Rules struct {
	file string
	log  *slog.Logger
	in   func(document.Source, document.View) contract.SourceRules // those that stand in sources now

	mu     sync.Mutex
	read   []byte  // what the policy was made of, nil where the file could not be read
	broken error   // why nothing could be made of it
	policy *policy // nil while the file cannot be used: then owners alone see anything
	sights map[string]*Sight
	said   string // in the log, of a file that cannot be used
}

// Open reads the rules of a file; "" are none. The error is InvalidRequest for a file
// that cannot be used, and NotFound where there is none.
func Open(file string, log *slog.Logger) (*Rules, error) {
	if file == "" {
		return nil, nil
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &Rules{file: file, log: log}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r, r.look()
}

// look reads the file, and makes it out anew where it says something else: its times do
// not tell, since a file can be written without them. r.mu is held.
func (r *Rules) look() error {
	text, err := os.ReadFile(r.file)
	if err != nil {
		r.read, r.policy, r.sights = nil, nil, nil
		return document.Errorf(document.NotFound, "the rules of access.file cannot be read: %w", err)
	}
	if r.read != nil && bytes.Equal(text, r.read) {
		return r.broken
	}
	r.read, r.sights = text, map[string]*Sight{}
	r.policy, r.broken = parse(r.file, text)
	return r.broken
}

// now returns what the file says. Where it cannot be used, nobody is in any group.
func (r *Rules) now() *policy {
	said := ""
	if err := r.look(); err != nil {
		if said = err.Error(); said != r.said {
			r.log.Error("the access rules cannot be used: owners alone see anything", "error", err)
		}
	}
	r.said = said
	if r.policy == nil {
		return &policy{}
	}
	return r.policy
}

// InSources has the rules that stand in sources narrow what these show: in tells them, as
// they are now. It is called before anybody asks.
func (r *Rules) InSources(in func(document.Source, document.View) contract.SourceRules) {
	if r != nil {
		r.in = in
	}
}

// Sight is what a principal sees from now on, nil where that is everything.
func (r *Rules) Sight(who contract.Principal) *Sight {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.now()
	if p.owns(who) {
		return nil
	}
	groups := append([]string{contract.Everyone}, p.groupsOf(who)...)
	key := strings.Join(groups, "\n")
	s := r.sights[key]
	if s == nil {
		s = newSight(p.Rules, groups, r.in)
		if r.sights == nil || len(r.sights) >= mostSights {
			r.sights = map[string]*Sight{}
		}
		r.sights[key] = s
	}
	return s
}

// mostSights bounds the sights that are kept, each for one set of groups.
const mostSights = 256

// Admits returns nil where a principal may ask on a subject: whoever sees only a part of
// the documents may ask what keeps to that part. The error is Forbidden.
func (r *Rules) Admits(who contract.Principal, subject string) error {
	if r == nil || r.Sight(who) == nil {
		return nil
	}
	for _, e := range contract.Endpoints {
		if e.Subject == subject && e.Narrowed {
			return nil
		}
	}
	return document.Errorf(document.Forbidden, "this speaks of everything that is indexed, and who asks sees only a part of it: ask as the owner").
		With(document.Action{Do: document.DoLoginShow, Value: string(contract.RoleAdmin)})
}

// CheckServices returns an InvalidRequest where rules could not tell services from who
// asks them: they are known by their user at the NATS server.
func (r *Rules) CheckServices(inbox string) error {
	if r == nil {
		return nil
	}
	user := strings.TrimPrefix(strings.TrimPrefix(inbox, strings.TrimSuffix(contract.InboxOf(""), ".")), ".")
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.now(); user != "" && (p.owns(contract.OfUser(user)) || slices.Contains(p.Owners, user)) {
		return nil
	}
	return document.Errorf(document.InvalidRequest, "access.file needs services with a user of their own at the NATS server: %s",
		map[bool]string{true: "set nats.user", false: fmt.Sprintf("name %s among its owners", user)}[user == ""])
}
