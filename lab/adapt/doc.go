// Package adapt trains an embedding model further on somebody's own files: on
// pairs of a question and the passage that answers it, as lab/mine makes them.
// What it is worth is judged by questions of files that were not trained on.
package adapt
