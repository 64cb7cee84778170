package speed

// questions are what people ask of a source tree that they do not know. They
// make sense for Go's own source and for most other trees.
var questions = []string{
	"parse an IPv6 address", "how are environment variables read", "retry with exponential backoff",
	"where is the TLS handshake done", "convert a time zone offset to a string", "sort a slice in place",
	"read a file line by line", "write a zip archive", "decode JSON into a struct", "base64 encode bytes",
	"how does the garbage collector mark objects", "which function allocates a new span of memory",
	"create a temporary directory", "copy from a reader to a writer", "cancel a request by context",
	"compare two versions", "hash a password", "generate a random number", "format a floating point number",
	"regular expression backtracking", "escape HTML in a template", "serve static files over HTTP",
	"chunked transfer encoding", "HTTP/2 flow control window", "cookie jar domain matching",
	"verify a certificate chain", "elliptic curve point addition", "constant time comparison",
	"lock that prefers writers", "wait until all goroutines have ended", "limit the number of concurrent workers",
	"detect a deadlock", "stack overflow of a deep recursion", "panic recovered in a deferred call",
	"walk a directory tree", "match a file name against a pattern", "resolve symbolic links",
	"DNS lookup with a timeout", "keep a TCP connection alive", "listen on a unix socket",
	"parse command line flags", "print usage and exit", "log with key value pairs", "profile CPU usage",
	"build constraints of a source file", "type inference for generics", "escape analysis",
	"register allocation", "inline a function call", "eliminate dead code", "encode an instruction for arm64",
	"read an ELF symbol table", "line numbers of a program counter", "compress with huffman codes",
	"checksum of a block", "draw an image onto another", "JPEG quantization table", "quote a string for Go source",
	"split text at white space", "unicode normalization or case folding", "big integer multiplication",
	"matrix of test cases in a table", "fuzz a parser with a corpus", "benchmark memory allocations",
	"error wrapping and unwrapping", "what happens when a channel is closed twice", "timer stopped before it fires",
}
