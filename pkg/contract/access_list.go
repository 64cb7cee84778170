package contract

import "github.com/freshet-dev/freshet/pkg/document"

// AccessList answers requests on freshet.access.list: who may ask what, and who sees
// which documents.
type AccessList struct {
	// Roles are what clients may be, the least first.
	Roles []RoleRights `json:"roles"`
	// Restricted says that there are rules: what none of them shows is seen by owners
	// alone. Without any everybody sees everything.
	Restricted bool          `json:"restricted,omitempty"`
	Owners     []string      `json:"owners,omitempty"` // users of the NATS server
	Members    []GroupMember `json:"members,omitempty"`
	Rules      []AccessRule  `json:"rules,omitempty"` // in the order of the file
}

// RoleRights is what a role may ask.
type RoleRights struct {
	Role     Role     `json:"role"`
	Includes []Role   `json:"includes,omitempty"`
	Asks     []string `json:"asks"` // subjects, without those of what it includes
}

// GroupMember is a user of the NATS server in a group. Keys name their groups themselves.
type GroupMember struct {
	Group string `json:"group"`
	User  string `json:"user"`
}

// AccessRule lets groups see documents. What it does not name it does not narrow.
type AccessRule struct {
	Groups      []string              `json:"groups"`
	Sources     []document.Source     `json:"sources,omitempty"`
	Paths       []string              `json:"paths,omitempty"`
	Collections []document.Collection `json:"collections,omitempty"`
}

// RolesTold are all roles and what each may ask.
func RolesTold() []RoleRights {
	var out []RoleRights
	for _, r := range Roles {
		told := RoleRights{Role: r, Includes: includes[r], Asks: []string{}}
		for _, e := range Endpoints {
			if e.Role == r {
				told.Asks = append(told.Asks, e.Subject)
			}
		}
		out = append(out, told)
	}
	return out
}
