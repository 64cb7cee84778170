package contract

// Buckets of the log: key-value, and one of objects.
const (
	BucketMeta     = "freshet_meta"     // epochs, what was purged, and who holds which role
	BucketSources  = "freshet_sources"  // registered sources by slug
	BucketSuspects = "freshet_suspects" // documents whose handling may have killed a worker
	BucketBodies   = "freshet_bodies"   // claim check: bodies that are too large for a message
)

// The names that the server gives to what is behind BucketBodies.
const (
	StreamBodies = "OBJ_" + BucketBodies
	// BodyInfo begins the subject of what tells of a body, and BodyPiece that of
	// its bytes.
	BodyInfo  = "$O." + BucketBodies + ".M."
	BodyPiece = "$O." + BucketBodies + ".C."
)

// KeyAccepted is the key in BucketMeta of the build that is accepted though it is
// above the limits.
const KeyAccepted = "accepted"

// KeyReindex is the key in BucketMeta of how often the index was made again.
const KeyReindex = "reindex"

// KeyLosses is the key in BucketMeta of what was lost and not accepted.
const KeyLosses = "losses"

// KeyStream is the stream behind a key-value bucket.
func KeyStream(bucket string) string { return "KV_" + bucket }

// KeyAddress is the subject of a key on that stream.
func KeyAddress(bucket, key string) string { return "$KV." + bucket + "." + key }
