package remote

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newKey(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{Use: "key", Short: "Make, list and revoke keys for people and programs that ask over HTTP", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(newKeyAdd(p), newKeyList(p), newKeyRevoke(p))
	return cmd
}

func newKeyAdd(p *command.Program) *cobra.Command {
	var in contract.KeyAdd
	var role string
	var expires time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Make a key, and print it once", Args: cobra.ExactArgs(1),
		Long: "add makes a key and prints it: what is sent as \"Authorization: Bearer KEY\" to the HTTP interface, and by\n" +
			"agents to /mcp. Only its hash is kept, so that it is never shown again. --role says what its owner may do, and\n" +
			"--group which of the groups of the access rules they are in: what these may see, they see.",
		Example: "  freshet key add laptop --group docs --expires 720h\n  freshet key add importer --role write",
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Name, in.Role = args[0], contract.Role(role)
			if cmd.Flags().Changed("expires") {
				if expires < time.Second {
					return document.Errorf(document.InvalidRequest, "--expires is %s: give at least 1s", expires)
				}
				in.Seconds = int64(expires / time.Second)
			}
			return Once(cmd.Context(), p, client.AddKey, in, asJSON, func(added contract.KeyAdded) error {
				if _, err := fmt.Fprintln(p.Stdout, added.Token); err != nil {
					return fmt.Errorf("write the key: %w", err)
				}
				p.Note("it is shown this once: keep it where its owner keeps secrets")
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&role, "role", string(contract.RoleAsk), "`role` that its owner has: "+RoleNames())
	cmd.Flags().StringArrayVar(&in.Groups, "group", nil, "`group` of the access rules that its owner is in (may be repeated)")
	cmd.Flags().DurationVar(&expires, "expires", 0, "`time` after which it ends, such as 720h (default: never)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}

func newKeyList(p *command.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the keys", Args: cobra.NoArgs,
		Long:    "list prints the keys: name, role, groups, when each was made, and when it ends. What their owners send is kept nowhere.",
		Example: "  freshet key list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return Once(cmd.Context(), p, client.ListKeys, client.None, asJSON, func(list contract.KeyList) error {
				return render.Keys(p.Stdout, p.Style(), list.Keys)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}

func newKeyRevoke(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME", Short: "Take a key away, from the next request on", Args: cobra.ExactArgs(1),
		Long:    "revoke takes a key away. Whoever sends it is let in no more from the next request on.",
		Example: "  freshet key revoke laptop",
		RunE: func(cmd *cobra.Command, args []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			list, err := client.RevokeKey.Ask(cmd.Context(), nc, contract.KeyRevoke{Name: strings.TrimSpace(args[0])})
			if err != nil {
				return err
			}
			return render.Keys(p.Stdout, p.Style(), list.Keys)
		},
	}
}
