// Package contract holds everything that crosses a process boundary: streams,
// subjects, headers, messages, requests and replies. The JSON Schemas in
// schemas/ describe the same things; one test ties both together. Fields are
// only ever added.
package contract
