package bus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Builds with different analyzers have one id, and a lexical store for each.

// analyzersOf begins the keys in BucketMeta of the analyzers that a build was noted with
// before.
func analyzersOf(id contract.BuildID) string { return "analyzer." + string(id) + "-" }

func analyzerKey(id contract.BuildID, signature string) string {
	sum := sha256.Sum256([]byte(signature))
	return analyzersOf(id) + hex.EncodeToString(sum[:4])
}

// noteAnalyzer keeps the analyzer that a build is noted with, where now has another one.
func (b Builds) noteAnalyzer(ctx context.Context, now contract.Build) error {
	before, ok, err := b.Get(ctx, now.ID())
	if err != nil || !ok || before.Analyzer == now.Analyzer {
		return err
	}
	_, err = b.bus.Bucket(contract.BucketMeta).Put(ctx, analyzerKey(now.ID(), before.Analyzer), []byte(before.Analyzer))
	return err
}

// FormerAnalyzers are the signatures of the analyzers that a build was noted with
// and that nobody has forgotten. The one that it is noted with now may be among them:
// who went back to it has noted the other one.
func (b Builds) FormerAnalyzers(ctx context.Context, id contract.BuildID) ([]string, error) {
	keys, err := b.keys(ctx, "analyzer.*")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, key := range keys {
		if !strings.HasPrefix(key, analyzersOf(id)) {
			continue
		}
		value, revision, err := b.bus.Bucket(contract.BucketMeta).Get(ctx, key)
		if err != nil {
			return nil, err
		}
		if revision > 0 {
			out = append(out, string(value))
		}
	}
	return out, nil
}

// ForgetAnalyzer removes what FormerAnalyzers lists: nothing that was made with it is
// left.
func (b Builds) ForgetAnalyzer(ctx context.Context, id contract.BuildID, signature string) error {
	return b.bus.Bucket(contract.BucketMeta).Forget(ctx, analyzerKey(id, signature))
}

// keys lists the keys of BucketMeta that a pattern matches.
func (b Builds) keys(ctx context.Context, pattern string) ([]string, error) {
	kv, err := b.bus.Bucket(contract.BucketMeta).open(ctx)
	if err != nil {
		return nil, err
	}
	noted, err := kv.ListKeysFiltered(ctx, pattern)
	if err != nil {
		return nil, fmt.Errorf("list %s of bucket %s: %w", pattern, contract.BucketMeta, err)
	}
	var out []string
	for key := range noted.Keys() {
		out = append(out, key)
	}
	return out, nil
}
