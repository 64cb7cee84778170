// Package feedback makes tasks of what people did with the hits of their
// searches, and figures of how good these searches were.
package feedback
