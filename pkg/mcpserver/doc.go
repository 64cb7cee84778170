// Package mcpserver lets agents ask the running freshet over the Model Context
// Protocol: it translates requests and replies of pkg/client, keeps each answer
// within a budget of tokens, and frames what documents say, so that it is data and
// stays it. It knows no service.
package mcpserver
