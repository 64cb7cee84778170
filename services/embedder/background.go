package embedder

import (
	"context"
	"math"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// unrelated are passages that have next to nothing to do with a question, whatever it is:
// some of them may, most never do. Cosines with them tell what is near by chance for a
// model, which differs from one to the next by more than what is meant does.
var unrelated = []string{
	"parse parse encoding json\nfunc (d *decodeState) literal() error { read a quoted string until the closing quote }",
	"tls tls net handshake\nverify the certificate chain of the server against the pool of trusted roots",
	"heap heap container\nfunc down(h Interface, i, n int) bool { swap the parent with its smaller child }",
	"schedule schedule cron jobs\nclass Scheduler: run each job at the minute that its expression names",
	"invoice invoice billing models\nCREATE TABLE invoice (id bigint PRIMARY KEY, customer bigint, total numeric, due date)",
	"install install guide\nDownload the archive, unpack it into a folder of your choice and add that to the path.",
	"button button components\nexport const Button = ({label, onClick}) => <button onClick={onClick}>{label}</button>",
	"changelog changelog\nThis release mends a crash when the last window is closed while a dialog is open.",
	"matrix matrix linalg\ntemplate <typename T> Matrix<T> multiply(const Matrix<T>& a, const Matrix<T>& b)",
	"upload upload storage s3\nsplit the object into parts of eight megabytes and retry those that time out",
	"license license\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software.",
	"login login auth session\nif the password does not match, count the attempt and wait before the next one",
	"image image codec png\nfilter each scanline by the Paeth predictor before it is compressed",
	"deploy deploy k8s\nreplicas: 3, rolling update with at most one pod unavailable at a time",
	"mail mail smtp\nsend the HELO command, then the sender, the recipients, and the body that a dot ends",
	"faq faq docs\nWhy is my order late? Parcels may take up to five working days during the holidays.",
	"regex regex engine\nmatch a repetition lazily: try the rest of the pattern before another round",
	"weather weather api\nGET /forecast returns the temperature and the chance of rain for the next ten days",
	"lock lock sync\nthe mutex is in starvation mode: hand it to the waiter at the front of the queue",
	"privacy privacy policy\nWe keep the address that you give us for as long as your account exists.",
	"audio audio mixer\nresample both tracks to 48 kHz and sum them with a soft limiter",
	"migrate migrate db\nALTER TABLE users ADD COLUMN locale text NOT NULL DEFAULT 'en'",
	"physics physics engine\nresolve the collision by an impulse along the normal of the contact",
	"meeting meeting notes\nAgreed: the budget is decided on Tuesday; Anna asks the other team for a room.",
}

// backgrounds are what queries are held against, by the embedder's identity. It is safe
// for concurrent use.
type backgrounds struct {
	mu sync.Mutex
	by map[string]*background
}

type background struct {
	mu      sync.Mutex // while the embedder is asked
	vectors []embed.Vector
}

// of returns what the vector of a query has to do with passages by chance.
func (b *backgrounds) of(ctx context.Context, model embed.Embedder, query embed.Vector) (*contract.Background, error) {
	b.mu.Lock()
	if b.by == nil {
		b.by = map[string]*background{}
	}
	one := b.by[model.Identity()]
	if one == nil {
		one = &background{}
		b.by[model.Identity()] = one
	}
	b.mu.Unlock()
	vectors, err := one.made(ctx, model)
	if err != nil {
		return nil, err
	}
	var sum, squares float64
	for _, v := range vectors {
		c := cosine(query, v)
		sum, squares = sum+c, squares+c*c
	}
	n := float64(len(vectors))
	mean := sum / n
	return &contract.Background{Mean: mean, Deviation: math.Sqrt(max(squares/n-mean*mean, 0))}, nil
}

// made are the vectors of the passages, made once.
func (b *background) made(ctx context.Context, model embed.Embedder) ([]embed.Vector, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.vectors != nil {
		return b.vectors, nil
	}
	vectors, errs := model.EmbedDocuments(ctx, unrelated)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	b.vectors = vectors
	return vectors, nil
}
