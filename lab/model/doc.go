// Package model makes an embedding model of public code that every checkout of
// this project has, and of further folders: what `make model` runs.
package model
