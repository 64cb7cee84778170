// Package learn trains the learned reranker on tasks. It asks for everything
// that a search recalls, once, as package tune does, and trains on what the
// channels and signals say of each candidate. What a model is worth is measured on
// tasks that it was not trained on.
package learn
