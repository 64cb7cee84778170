package siege

import "time"

// form is how freshet is run in the rounds of a mode, and what of a round
// depends on that.
type form struct {
	deploy func(*round, ground) (*deployment, error)
	// A writer's mean pause lies between these.
	leastPace, mostPace time.Duration
	// rest is a reader's mean pause; 0 is what the vulture takes.
	rest time.Duration
	// calm has no blows and no guest.
	calm bool
	// deadline of a question, and patience of the guest.
	deadline, patience time.Duration
	// settleWithin is how long a round may take to come to rest.
	settleWithin time.Duration
}

var forms = map[string]form{
	Embedded: {
		deploy: (*round).embed, leastPace: 30 * time.Millisecond, mostPace: 150 * time.Millisecond,
		deadline: 3 * time.Second, patience: 5 * time.Second, settleWithin: 5 * time.Minute,
	},
	// What costs time here is the answers.
	Calm: {
		deploy: (*round).embed, calm: true, leastPace: 200 * time.Millisecond, mostPace: time.Second, rest: time.Millisecond,
		deadline: 30 * time.Second, settleWithin: 5 * time.Minute,
	},
	// A write costs a refresh of two servers, and a dozen processes share the
	// machine with these.
	Servers: {
		deploy: (*round).staff, leastPace: time.Second, mostPace: 3 * time.Second,
		deadline: 10 * time.Second, patience: 15 * time.Second, settleWithin: 10 * time.Minute,
	},
}
