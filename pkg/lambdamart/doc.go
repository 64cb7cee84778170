// Package lambdamart trains and applies a small ranking model: regression trees
// that are boosted along the gradients of NDCG (LambdaMART: Burges, "From
// RankNet to LambdaRank to LambdaMART", 2010). It knows numbers only; what a
// feature means is its caller's business.
package lambdamart
