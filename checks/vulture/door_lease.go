package vulture

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// checking is a question what has become of what a lease holds.
type checking struct {
	request contract.LeaseCheck
}

func checkOf(q question, settle bool, within time.Duration) *checking {
	return &checking{request: contract.LeaseCheck{Settle: settle, Token: tokenOf(q), DeadlineMS: int(within / time.Millisecond)}}
}

func (d *checking) name() string { return "lease check" }

func (d *checking) String() string { return fmt.Sprintf("lease check, settled %t", d.request.Settle) }

func (d *checking) ask(ctx context.Context, nc *nats.Conn, a *answer) error {
	d.request.Lease = a.leaseID()
	news, err := client.CheckLease.Ask(ctx, nc, d.request)
	if err == nil {
		a.news, a.kept = &news, !d.request.Settle
	}
	a.reply.Token = news.Token
	return err
}

func (d *checking) judged(j *judge, a answer) { j.backwards(a) }

func (d *checking) refused(*judge, answer) bool { return false }

func (d *checking) given(answer) []leaf { return nil }
