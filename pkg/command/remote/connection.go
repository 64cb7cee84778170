package remote

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// connection is what `freshet connection --json` prints.
type connection struct {
	URL         string            `json:"url"` // without the login
	User        string            `json:"user,omitempty"`
	Password    string            `json:"password,omitempty"`
	Credentials string            `json:"credentials,omitempty"` // file with a user's JWT and seed
	InboxPrefix string            `json:"inbox_prefix"`
	Login       string            `json:"login"` // the URL with user and password
	Env         map[string]string `json:"env"`   // for freshet and the nats command line
}

func newConnection(p *command.Program) *cobra.Command {
	var role string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "connection",
		Short: "Print the URL and the login by which other programs reach the instance",
		Long: "connection prints a URL with a user and a password in it. Each role has a login of its own: ask\n" +
			"(searches, explain, status, changes), announce (hooks, tokens), write (these, documents, sources,\n" +
			"feedback) and admin (everything but the log itself). A user is answered on subjects that begin\n" +
			"with _INBOX. and its name, and listens to no other: set the inbox prefix of the client to that.\n" +
			"Nothing is asked at the instance.",
		Example: "  nats --server \"$(freshet connection)\" --inbox-prefix _INBOX.ask request freshet.query.search '{\"query\":\"retry\"}'\n  freshet connection --role write --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			find := func() (bus.Remote, error) { return instance.FindRole(p.NATS, p.Data, contract.Role(role)) }
			if !slices.Contains(contract.Roles, contract.Role(role)) {
				return document.Errorf(document.InvalidRequest, "there is no role %q: use %s", role, RoleNames())
			}
			if !cmd.Flags().Changed("role") {
				find = func() (bus.Remote, error) { return instance.FindAsker(p.NATS, p.Data) }
			}
			r, err := find()
			if err != nil {
				return err
			}
			c := connectionOf(r)
			if asJSON {
				raw, err := json.Marshal(c)
				if err != nil {
					return fmt.Errorf("encode the connection: %w", err)
				}
				return p.PrintJSON(raw)
			}
			if _, err := fmt.Fprintln(p.Stdout, c.Login); err != nil {
				return fmt.Errorf("write the connection: %w", err)
			}
			if r.HasLogin() {
				p.Note("set the inbox prefix of the client to " + c.InboxPrefix)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&role, "role", string(contract.RoleAsk), "`role` that the login has: "+RoleNames())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print URL, user, password and inbox prefix apart, and as environment variables")
	return cmd
}

// RoleNames lists the roles that a person may ask for.
func RoleNames() string {
	names := make([]string, len(contract.Roles))
	for i, r := range contract.Roles {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

func connectionOf(r bus.Remote) connection {
	c := connection{
		URL: bus.HideUser(r.URL), User: r.User, Password: r.Password, Credentials: r.Credentials,
		InboxPrefix: r.Inbox(), Login: r.WithLogin(), Env: map[string]string{},
	}
	for name, value := range map[string]string{
		"FRESHET_NATS_URL": c.URL, "FRESHET_NATS_USER": c.User, "FRESHET_NATS_PASSWORD": c.Password, "FRESHET_NATS_CREDENTIALS": c.Credentials,
		"NATS_URL": c.URL, "NATS_USER": c.User, "NATS_PASSWORD": c.Password, "NATS_CREDS": c.Credentials,
	} {
		if value != "" {
			c.Env[name] = value
		}
	}
	return c
}
