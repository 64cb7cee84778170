// Package quality measures how well the real program ranks: it indexes
// repositories of a task set, asks its questions over NATS in several arms,
// and scores the answers by NDCG@10. The task set is not part of this
// repository.
package quality
