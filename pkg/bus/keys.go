package bus

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Keys are those by which people and programs are let in over HTTP. They are safe for
// concurrent use.
type Keys struct{ bus *Bus }

// KeysOf are those of the log.
func KeysOf(b *Bus) Keys { return Keys{b} }

// HashKey is what is kept of a key.
func HashKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// KeyName is the name of the key that a token is of; ok is false for what is none.
func KeyName(token string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(token, contract.KeyMark)
	i := strings.LastIndexByte(rest, '_')
	if !ok || i < 1 {
		return "", false
	}
	return rest[:i], true
}

// Add makes a key. The error is Conflict where there is one of that name, and
// InvalidRequest for what can be none.
func (k Keys) Add(ctx context.Context, in contract.KeyAdd) (contract.KeyAdded, error) {
	if _, err := document.ParseSource(in.Name); err != nil {
		return contract.KeyAdded{}, document.Errorf(document.InvalidRequest, "the key's name is %q: use 1 to 64 of a-z, 0-9, - and _", document.Shorten(in.Name))
	}
	if in.Role == "" {
		in.Role = contract.RoleAsk
	}
	if !slices.Contains(contract.Roles, in.Role) {
		return contract.KeyAdded{}, document.Errorf(document.InvalidRequest, "the role is %q: choose ask, announce, write or admin", document.Shorten(string(in.Role)))
	}
	for _, g := range in.Groups {
		if strings.TrimSpace(g) == "" {
			return contract.KeyAdded{}, document.Errorf(document.InvalidRequest, "a group is empty: leave it out")
		}
	}
	if in.Seconds < 0 || in.Seconds > int64(mostKeyTime/time.Second) {
		return contract.KeyAdded{}, document.Errorf(document.InvalidRequest, "seconds is %d: choose 1 to %d, or 0 for a key that does not end", in.Seconds, int64(mostKeyTime/time.Second))
	}
	token := contract.KeyMark + in.Name + "_" + rand.Text() + rand.Text()
	now := k.bus.Now().UTC().Truncate(time.Second)
	key := contract.StoredKey{Hash: HashKey(token), Role: in.Role, Groups: in.Groups, Created: now}
	if in.Seconds > 0 {
		key.Expires = now.Add(time.Duration(in.Seconds) * time.Second)
	}
	raw, err := json.Marshal(key)
	if err != nil {
		return contract.KeyAdded{}, fmt.Errorf("encode a key: %w", err)
	}
	_, err = k.bucket().Update(ctx, in.Name, raw, 0)
	if errors.Is(err, ErrConflict) {
		return contract.KeyAdded{}, document.Errorf(document.Conflict, "there is a key %s: choose another name, or revoke it first", in.Name)
	}
	return contract.KeyAdded{Key: k.info(in.Name, &key), Token: token}, err
}

// mostKeyTime is the longest time that a key may be asked for.
const mostKeyTime = 100 * 365 * 24 * time.Hour

func (k Keys) bucket() Bucket { return k.bus.Bucket(contract.BucketKeys) }

func (k Keys) info(name string, key *contract.StoredKey) contract.KeyInfo {
	return contract.KeyInfo{Name: name, Role: key.Role, Groups: key.Groups, Created: key.Created, Expires: key.Expires, Expired: k.expired(key)}
}

func (k Keys) expired(key *contract.StoredKey) bool {
	return !key.Expires.IsZero() && !k.bus.Now().Before(key.Expires)
}

// List returns all keys, by name.
func (k Keys) List(ctx context.Context) ([]contract.KeyInfo, error) {
	kv, err := k.bucket().open(ctx)
	if err != nil {
		return nil, err
	}
	names, err := kv.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	slices.Sort(names)
	out := make([]contract.KeyInfo, 0, len(names))
	for _, name := range names {
		key, _, err := k.get(ctx, name)
		if err != nil {
			return nil, err
		}
		if key != nil {
			out = append(out, k.info(name, key))
		}
	}
	return out, nil
}

// get returns a key and its revision, nil where there is none that can be read.
func (k Keys) get(ctx context.Context, name string) (*contract.StoredKey, uint64, error) {
	raw, revision, err := k.bucket().Get(ctx, name)
	var key contract.StoredKey
	if err != nil || raw == nil || json.Unmarshal(raw, &key) != nil {
		return nil, revision, err
	}
	return &key, revision, nil
}

// Revoke takes a key away, from the next request on. The error is NotFound where there
// is none.
func (k Keys) Revoke(ctx context.Context, name string) error {
	if _, err := document.ParseSource(name); err != nil {
		return noKey(name)
	}
	_, revision, err := k.get(ctx, name)
	switch {
	case err != nil:
		return err
	case revision == 0:
		return noKey(name)
	}
	return k.bucket().Remove(ctx, name, revision)
}

func noKey(name string) error {
	return document.Errorf(document.NotFound, "there is no key %q", document.Shorten(name))
}

// Who is the principal of a key. The error is Unauthorized for one that is not there,
// that is another, or that has ended: nobody is told which.
func (k Keys) Who(ctx context.Context, in contract.KeyWho) (contract.Principal, error) {
	none := document.Errorf(document.Unauthorized, "the key in the header Authorization is none of this freshet's, or has ended: take a new one")
	if _, err := document.ParseSource(in.Name); err != nil {
		return contract.Principal{}, none
	}
	key, _, err := k.get(ctx, in.Name)
	if err != nil {
		return contract.Principal{}, err
	}
	if key == nil || subtle.ConstantTimeCompare([]byte(key.Hash), []byte(in.Hash)) != 1 || k.expired(key) {
		return contract.Principal{}, none
	}
	return principalOf(in.Name, key), nil
}

// Named is the principal of a key by its name; ok is false where there is none, or where
// it has ended.
func (k Keys) Named(ctx context.Context, name string) (who contract.Principal, ok bool, err error) {
	key, _, err := k.get(ctx, name)
	if err != nil || key == nil || k.expired(key) {
		return contract.Principal{}, false, err
	}
	return principalOf(name, key), true, nil
}

func principalOf(name string, key *contract.StoredKey) contract.Principal {
	return contract.Principal{Name: contract.KeyPrefix + name, Role: key.Role, Groups: key.Groups}
}
