package query

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/answers"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
)

// planned is how a question is to be searched, and what it took to find out.
type planned struct {
	contract.AnswerPlan
	usage answers.Usage
	asked []answers.Message
	said  string
}

// planWindow is how many tokens of a model are counted on before it is known what is
// searched: a quarter of them is for what was said before.
const planWindow = 8 << 10

// plan asks the model, once and for a short time, for other wordings of the question, and
// for its class. A model that is late, fails or has not understood leaves the question as
// it is, and the plan says so. It is nil where none is wanted.
func (a *answering) plan(ctx context.Context, in contract.AnswerRequest) (*planned, error) {
	if a.cfg.Wordings < 2 {
		return nil, nil
	}
	question, before, err := a.talk(in, contract.ContextBudget{Window: planWindow})
	if err != nil {
		return nil, err
	}
	start := time.Now()
	p := &planned{asked: answers.PlanMessages(a.guarded(before), a.service.configured.guard.Text(question), a.cfg.Wordings-1)}
	within, cancel := context.WithTimeout(ctx, a.cfg.Planning)
	defer cancel()
	p.said, p.usage, err = answers.Say(within, a.model, p.asked)
	p.TookMS = milliseconds(time.Since(start))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		p.Why = contract.PlanLate
	case err != nil:
		p.Why = contract.PlanFailed
		a.service.log.Warn("the question is searched as it is: the model proposed no other wordings", "kind", document.KindOf(err), "error", err)
	default:
		class, wordings := answers.Plan(p.said, question, a.cfg.Wordings-1)
		p.classify(in, class)
		for _, w := range wordings {
			if read := reading.Read(w); len(read.Filters)+len(read.Left) == 0 { // filters are the asker's
				p.Wordings = append(p.Wordings, w)
			}
		}
		if len(p.Wordings) == 0 {
			p.Why = contract.PlanEmpty
		}
	}
	return p, nil
}

// classify notes the class of a question, and how many passages it gets for that, where
// the request leaves it open: an answer out of many places needs more than the usual, and
// one out of a single place is not to lack it because the model thought so.
func (p *planned) classify(in contract.AnswerRequest, class string) {
	if p.Class = class; in.Preset != "" || in.TopK != 0 {
		return
	}
	switch class {
	case contract.ClassOverview:
		p.Preset = contract.PresetBroad
	case contract.ClassList:
		p.Preset = contract.PresetDeep
	}
}

// preset is how many passages are packed, by name: as the request says, or as is planned.
func (p *planned) preset(in contract.AnswerRequest) string {
	if p == nil || p.Preset == "" {
		return in.Preset
	}
	return p.Preset
}

// wordings are those that are searched; of no plan none.
func (p *planned) wordings() []string {
	if p == nil {
		return nil
	}
	return p.Wordings
}

// tellPlan puts what was planned, and what that took, into a summary.
func (a *answering) tellPlan(sum *contract.AnswerSummary, p *planned) (err error) {
	if p == nil {
		return nil
	}
	sum.Plan = &p.AnswerPlan
	if p.said != "" {
		sum.Usage, err = a.usage(p.usage, p.asked, p.said)
	}
	return err
}
