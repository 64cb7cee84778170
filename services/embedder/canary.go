package embedder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

const (
	// alike is the cosine below which two vectors of a text are of different models.
	// Rounding to int8 and servers that compute in half precision stay above 0.999;
	// two models, and two versions of one, are far below.
	alike = .99
	// doubt is how long a model that was found changed is not looked at again.
	doubt = time.Minute
)

// canary notices that a server exchanged its model in silence: it asks for the
// vectors of fixed texts and compares them with those that were there first, which
// are kept in the log. It is safe for concurrent use.
type canary struct {
	bus   *bus.Bus
	model embed.Remote
	every time.Duration

	looking sync.Mutex // while the server is asked

	mu      sync.Mutex
	looked  time.Time
	trouble error
}

// newCanary returns nil for a model that nobody else can exchange.
func newCanary(b *bus.Bus, e embed.Embedder, every time.Duration) *canary {
	model, ok := e.(embed.Remote)
	if !ok {
		return nil
	}
	return &canary{bus: b, model: model, every: every}
}

// kept is the record in the log.
type kept struct {
	Identity string    `json:"identity"`
	At       time.Time `json:"at"`
	Scales   []float32 `json:"scales"`
	Data     [][]byte  `json:"data"`
}

func (k kept) vectors() (out []embed.Vector) {
	for i := range min(len(k.Scales), len(k.Data)) {
		out = append(out, embed.VectorOf(k.Scales[i], k.Data[i]))
	}
	return out
}

// check returns nil where the model is the one that it was, as far as was looked
// lately. The error is IdentityMismatch where it is another.
func (c *canary) check(ctx context.Context) error {
	if c == nil {
		return nil
	}
	c.looking.Lock()
	defer c.looking.Unlock()
	if known, trouble := c.lately(); known {
		return trouble
	}
	vectors, err := c.model.Canaries(ctx)
	if err != nil {
		return err
	}
	first, err := c.first(ctx, vectors)
	if err != nil {
		return err
	}
	trouble := c.compare(first, vectors)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looked, c.trouble = time.Now(), trouble
	return trouble
}

// lately returns what was found last, if that is not long ago.
func (c *canary) lately() (known bool, trouble error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	long := c.every
	if c.trouble != nil {
		long = doubt
	}
	return !c.looked.IsZero() && time.Since(c.looked) < long, c.trouble
}

// changed returns the trouble that was found last.
func (c *canary) changed() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble
}

// first returns the vectors that were there first, and keeps those given where there
// are none.
func (c *canary) first(ctx context.Context, now []embed.Vector) ([]embed.Vector, error) {
	sum := sha256.Sum256([]byte(c.model.Identity()))
	key := contract.KeyCanary + hex.EncodeToString(sum[:8])
	bucket := c.bus.Bucket(contract.BucketMeta)
	for {
		raw, revision, err := bucket.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		var k kept
		if raw != nil && json.Unmarshal(raw, &k) == nil && k.Identity == c.model.Identity() && len(k.vectors()) == len(now) {
			return k.vectors(), nil
		}
		k = kept{Identity: c.model.Identity(), At: c.bus.Now().UTC()}
		for _, v := range now {
			k.Scales, k.Data = append(k.Scales, v.Scale), append(k.Data, v.Bytes())
		}
		js, err := json.Marshal(k)
		if err != nil {
			return nil, fmt.Errorf("encode what the model makes of known texts: %w", err)
		}
		if _, err = bucket.Update(ctx, key, js, revision); errors.Is(err, bus.ErrConflict) {
			continue
		}
		return now, err
	}
}

func (c *canary) compare(first, now []embed.Vector) error {
	least := 1.
	for i, v := range now {
		least = min(least, cosine(first[i], v))
	}
	if least >= alike {
		return nil
	}
	return document.Errorf(document.IdentityMismatch, "the server has another model under the same name: what it makes of known texts is only %.2f alike with what it made before; give embedder.revision another value to have everything embedded anew, or bring the former model back", least)
}

// cosine of two vectors; 0 where they differ in length.
func cosine(a, b embed.Vector) float64 {
	if len(a.Data) != len(b.Data) {
		return 0
	}
	var dot, x, y float64
	for i := range a.Data {
		p, q := float64(a.Data[i]), float64(b.Data[i])
		dot, x, y = dot+p*q, x+p*p, y+q*q
	}
	if x == 0 || y == 0 {
		return 0
	}
	return dot / math.Sqrt(x*y)
}

// run looks every few minutes, so that it is noticed although nothing is embedded.
func (c *canary) run(ctx context.Context) error {
	if c == nil {
		return nil
	}
	for {
		_ = c.check(ctx) // which is told by the report
		c.mu.Lock()
		wait := c.every
		if c.looked.IsZero() || c.trouble != nil {
			wait = min(doubt, c.every)
		}
		c.mu.Unlock()
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
}
