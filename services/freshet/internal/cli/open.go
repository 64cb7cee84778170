package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/gateway"
)

func newOpen(p *command.Program) *cobra.Command {
	var role string
	var onlyPrint, token bool
	var apart instance.Gateway
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Open the page of the running instance in a browser",
		Long: "open makes a link that lets one browser in, once and within a minute, and has the browser open it; where there is\n" +
			"none, or with --print, it prints the link. With --token it prints a token for other programs, which they send as\n" +
			"the header Authorization: Bearer TOKEN. The browser's right ends with the process that gave it. For a gateway that\n" +
			"runs as a process of its own, --secret-file names its secret, and --url where it answers.",
		Example: "  freshet open\n" +
			"  freshet open --print --role ask\n" +
			"  curl -H \"Authorization: Bearer $(freshet open --token --role ask)\" http://127.0.0.1:4723/api/v1/status",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(contract.Roles, contract.Role(role)) {
				return document.Errorf(document.InvalidRequest, "there is no role %q: use %s", role, remote.RoleNames())
			}
			g, secret, err := gatewayOf(p, apart)
			if err != nil {
				return err
			}
			if token {
				return printLine(p, gateway.Token(secret, contract.Role(role)))
			}
			link, err := askLink(cmd.Context(), g, secret, contract.Role(role), apart.SecretFile != "")
			if err != nil {
				return err
			}
			if !onlyPrint && terminal.IsTerminal(p.Stdout) && startBrowser(link) {
				p.Note("the page opens in the browser; the link was good for once")
				return nil
			}
			return printLine(p, link)
		},
	}
	cmd.Flags().StringVar(&role, "role", string(contract.RoleAdmin), "`role` that the browser or the token has: "+remote.RoleNames())
	cmd.Flags().BoolVar(&onlyPrint, "print", false, "print the link, and start no browser")
	cmd.Flags().BoolVar(&token, "token", false, "print a token for other programs")
	cmd.Flags().StringVar(&apart.SecretFile, "secret-file", "", "`file` with the secret of a gateway that is a process of its own")
	cmd.Flags().StringVar(&apart.URL, "url", "http://"+config.DefaultGateway, "`URL` where the gateway of --secret-file answers")
	return cmd
}

// gatewayOf returns where the page of the running instance is, or that of a process
// of its own whose secret is named, and its secret.
func gatewayOf(p *command.Program, apart instance.Gateway) (instance.Gateway, bus.Secret, error) {
	if apart.SecretFile != "" {
		apart.URL = strings.TrimRight(apart.URL, "/")
		secret, err := bus.ReadSecret(apart.SecretFile)
		return apart, secret, err
	}
	path, err := instance.Locate(p.Data)
	if err != nil {
		return instance.Gateway{}, "", err
	}
	run, err := instance.Read(path)
	if err != nil {
		return instance.Gateway{}, "", err
	}
	if run.Gateway == nil {
		return instance.Gateway{}, "", document.Errorf(document.NotFound, "the freshet on %s runs without a page: set gateway.listen, and start it again", path)
	}
	secret, err := bus.ReadSecret(run.Gateway.SecretFile)
	return *run.Gateway, secret, err
}

// linkTime bounds the request for a link, which is answered out of memory.
const linkTime = 10 * time.Second

// askLink asks a gateway for a link. One that is apart has to be who its certificate
// says, and does not know the name by which it is reached.
func askLink(ctx context.Context, g instance.Gateway, secret bus.Secret, role contract.Role, apart bool) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	body, err := json.Marshal(map[string]contract.Role{"role": role})
	if err != nil {
		return "", fmt.Errorf("encode the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/api/v1/links", bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("ask for a link: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+gateway.Token(secret, contract.RoleAdmin))
	// Past any proxy. This machine's own has a certificate that is made for a name.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: !apart}}} //nolint:gosec // see above
	resp, err := client.Do(req)
	if err != nil {
		return "", document.Errorf(document.Unavailable, "the page at %s does not answer (%w): is freshet running?", g.URL, err).Do(document.DoStart)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var link struct {
		URL string `json:"url"`
	}
	if err = errors.Join(err, json.Unmarshal(answer, &link)); err != nil || resp.StatusCode != http.StatusOK {
		return "", document.Errorf(document.Unavailable, "no link was given at %s (%s): is it freshet that runs there?", g.URL, resp.Status)
	}
	if _, rest, ok := strings.Cut(link.URL, "/open?"); ok && apart {
		return g.URL + "/open?" + rest, nil
	}
	return link.URL, nil
}

// startBrowser reports whether a browser was told to open a link.
func startBrowser(link string) bool {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	program, err := exec.LookPath(opener)
	return err == nil && exec.Command(program, link).Run() == nil
}

func printLine(p *command.Program, text string) error {
	if _, err := fmt.Fprintln(p.Stdout, text); err != nil {
		return fmt.Errorf("write the link: %w", err)
	}
	return nil
}
