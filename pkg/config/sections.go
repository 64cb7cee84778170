package config

import "time"

// Limits is how much a source may bring in without being accepted, and how much
// memory that may take.
type Limits struct {
	Files int  `yaml:"files" doc:"Most documents of one source." min:"1"`
	Bytes Size `yaml:"bytes" doc:"Most bytes of text of one source." min:"1KiB"`
	// Memory is a goal and no bound: see runtime/debug.SetMemoryLimit.
	Memory Size `yaml:"memory" doc:"Memory that the single binary aims to stay below; 0 sets no limit. GOMEMLIMIT in the environment wins. Parsers are processes of their own, with chunker.parser_memory each." min:"0B"`
}

// Agents says what servers for agents may begin without being asked.
type Agents struct {
	Roots []string      `yaml:"roots" doc:"Folders (absolute paths) below which a project may be indexed when an agent first asks in it, beside the git work tree that it is in. Never the home folder, what is above it, or /."`
	Idle  time.Duration `yaml:"idle" doc:"How long a freshet that an agent's server started goes on without being asked; 0s: until it is stopped." min:"0s" max:"8760h"`
	// Remember is a document.Source.
	Remember string `yaml:"remember" doc:"Source of kind api into which agents may put notes, by the tool remember; it is added with the first note. Empty: the tool is not offered." see:"[Notes of agents](../how-to/agents.md#let-an-agent-remember)"`
}

// Watcher configures the service watcher.
type Watcher struct {
	Debounce    time.Duration `yaml:"debounce" doc:"Quiet time after the last event of a file before it is read." min:"1ms" max:"10s"`
	MaxDebounce time.Duration `yaml:"max_debounce" doc:"Longest wait while a file is written all the time." min:"1ms" max:"1m"`
	Fetch       time.Duration `yaml:"fetch" doc:"Time between fetches of a source with a remote; a webhook or a token fetches at once." min:"1s" max:"24h" see:"[Repositories on other machines](../how-to/remotes.md)"`
	Rescan      time.Duration `yaml:"rescan" doc:"Time between full comparisons of a source with the log." min:"1s" max:"24h"`
	Poll        time.Duration `yaml:"poll" doc:"Time between looks at folders for which the system has no watch left." min:"100ms" max:"1h"`
	MaxFileSize Size          `yaml:"max_file_size" doc:"Largest file; larger ones are skipped with the reason." min:"1KiB" max:"64MiB"`
	MaxWatches  int           `yaml:"max_watches" doc:"Most folders of one source that are watched, the rest is polled; 0 leaves it to the system." min:"0"`
	Git         string        `yaml:"git" doc:"What reads repositories: git, go-git, or auto for git where it is installed." enum:"auto,git,go-git"`
}

// Chunker configures the service chunker.
type Chunker struct {
	Target  int `yaml:"target" doc:"Bytes up to which small neighbours of code are merged into one passage." min:"64" max:"65536"`
	Max     int `yaml:"max" doc:"Bytes above which a definition is split." min:"64" max:"131072"`
	Prose   int `yaml:"prose" doc:"Longest passage of prose in characters." min:"64" max:"65536"`
	Overlap int `yaml:"overlap" doc:"Characters that a passage of prose repeats of the one before it, at most half of a passage." min:"0" max:"32768"`

	Strategies []Strategy `yaml:"strategies" doc:"Documents that are cut in another way than their language is: paths, strategy, size, unit, overlap, separators. The first entry that a path matches counts; what another entry is for is cut again, and nothing else. Not by environment variable." see:"[Cut some documents otherwise](../how-to/chunking.md)"`

	Parsers             int           `yaml:"parsers" doc:"Most parser processes. As many as half of the processors run; the others step in where one is held up." min:"1" max:"256"`
	ParserTimeout       time.Duration `yaml:"parser_timeout" doc:"Time that a parser may take for one document, before it is killed and the document is split without syntax." min:"1ms" max:"10m"`
	ParserTimeoutPerMiB time.Duration `yaml:"parser_timeout_per_mib" doc:"Time added for each MiB of the document." min:"1ms" max:"10m"`
	ParserMemory        Size          `yaml:"parser_memory" doc:"Resident memory at which a parser is killed." min:"32MiB"`

	Workers int           `yaml:"workers" doc:"Batches that are cut at the same time." min:"1" max:"64"`
	Batch   int           `yaml:"batch" doc:"Most documents in one batch." min:"1" max:"1024"`
	Lease   time.Duration `yaml:"lease" doc:"Deadline of one batch; another worker gets it afterwards." min:"1s" max:"1h"`
}

// Superseded says what becomes of what nobody builds any more.
type Superseded struct {
	Grace time.Duration `yaml:"grace" doc:"How long it stays in the log once the new is complete: whoever goes back by then need not cut and embed again. Deleted documents stay in the log as long. 0s removes it at once." min:"0s" max:"8760h"`
}

// Indexer configures the service indexer.
type Indexer struct {
	Workers int           `yaml:"workers" doc:"Batches of one sink that are written at the same time." min:"1" max:"64"`
	Batch   int           `yaml:"batch" doc:"Most documents that are written to a store at once." min:"1" max:"1024"`
	Linger  time.Duration `yaml:"linger" doc:"How long a batch waits to fill up." min:"0s" max:"1s"`
	Lease   time.Duration `yaml:"lease" doc:"Deadline of one batch; another worker gets it afterwards." min:"1s" max:"1h"`
	Sweep   time.Duration `yaml:"sweep" doc:"Time between comparisons of the stores with the log." min:"1s" max:"720h"`
	Verify  time.Duration `yaml:"verify" doc:"Time between comparisons of sources, log and stores, in which every file is read; one can be had at once on request." min:"1m" max:"8760h"`

	Snapshot time.Duration `yaml:"snapshot" doc:"Time between snapshots of the embedded stores while they change; what is newer is read again from the log after a crash." min:"1s" max:"1h"`
}

// Query configures the service query.
type Query struct {
	K               int           `yaml:"k" doc:"Hits of an answer when a request names no number." min:"1" max:"10000"`
	MaxK            int           `yaml:"max_k" doc:"Most hits that a request may ask for." min:"1" max:"10000"`
	Deadline        time.Duration `yaml:"deadline" doc:"Time for an answer when a request names none." min:"1ms" max:"1h"`
	MaxDeadline     time.Duration `yaml:"max_deadline" doc:"Longest time that a request may ask for." min:"1ms" max:"1h"`
	ChannelDeadline time.Duration `yaml:"channel_deadline" doc:"Time for one of the two engines; a slower one is left out, and the answer says so." min:"1ms" max:"1h"`
	EmbedDeadline   time.Duration `yaml:"embed_deadline" doc:"Time for the query's vector; without it the answer is lexical, and says so. 0s: 250ms, with an embedder that is a server 1s." min:"0s" max:"1h"`

	Overfetch    int `yaml:"overfetch" doc:"Passages that each engine is asked for at first." min:"10" max:"10000"`
	MaxOverfetch int `yaml:"max_overfetch" doc:"Passages that each engine is asked for at most." min:"10" max:"100000"`
	PerFile      int `yaml:"per_file" doc:"Most hits of one file among ten." min:"1" max:"10"`
	PerFileDocs  int `yaml:"per_file_docs" doc:"The same for a file of the collection docs, whose sections answer different questions." min:"1" max:"10"`

	PendingDocuments int  `yaml:"pending_documents" doc:"Most documents that are searched as plain lines while they are being indexed." min:"1" max:"10000"`
	PendingBytes     Size `yaml:"pending_bytes" doc:"Most bytes of them." min:"1KiB" max:"1GiB"`
	Listed           int  `yaml:"listed" doc:"Most pending and failed documents that an answer lists." min:"1" max:"10000"`

	BodyCache   Size          `yaml:"body_cache" doc:"Memory for decoded documents; the last large one may come beside it." min:"1MiB" max:"1024GiB"`
	Trigrams    Size          `yaml:"trigrams" doc:"Memory for what is known of documents so that a grep need not read those which cannot match: about a tenth of their text. What is beyond is read; 0 has everything read." min:"0B" max:"1024GiB"`
	VectorCache int           `yaml:"vector_cache" doc:"Query vectors that are remembered." min:"4" max:"1048576"`
	Excerpt     int           `yaml:"excerpt" doc:"Bytes of an excerpt." min:"16" max:"65536"`
	Concurrency int           `yaml:"concurrency" doc:"Searches at the same time; further ones wait." min:"1" max:"4096"`
	ReportWait  time.Duration `yaml:"report_wait" doc:"How long a status waits for the reports of the services." min:"1ms" max:"1m"`

	Priorities []Priority `yaml:"priorities" doc:"What sources, and folders, files and globs in them, count beside others: source, path, metadata, factor. All that fit a document are multiplied. Not by environment variable." see:"[Priorities](../how-to/priorities.md)"`

	Weights   string  `yaml:"weights" doc:"File (absolute path) with weights of the order of an answer, as tuning writes it: keys of ranking alone, those that differ from the default. Empty: those of ranking." see:"[Ranking](../explanation/ranking.md)"`
	Ranking   Ranking `yaml:"ranking" doc:"Weights of the order of an answer, where no file of weights is named; tuning finds them for your own code." see:"[Ranking](../explanation/ranking.md)"`
	Diversify float64 `yaml:"diversify" doc:"Maximal marginal relevance: what a hit's score counts beside being unlike the hits before it, such as 0.7; 0 leaves likeness out." min:"0" max:"1"`
	Spelling  float64 `yaml:"spelling" doc:"What a word counts that is searched in place of one that no passage has: one edit away, or longer by its end; 0 leaves words as they are." min:"0" max:"1"`
	Rerank    Rerank  `yaml:"rerank" doc:"A second look at the best passages, with their text, before they are shown." see:"[Rerank](../how-to/rerank.md)"`
	Answer    Answer  `yaml:"answer" doc:"A language model that answers from passages." see:"[Answers](../how-to/ask.md)"`
}

// Answer chooses the language model that answers questions.
type Answer struct {
	Kind        string        `yaml:"kind" doc:"What answers: nothing (none), or a server that speaks OpenAI's /chat/completions (openai), such as OpenAI, vLLM, llama.cpp or Ollama, or Azure's form of it (azure), which takes the key in a header of its own." enum:"none,openai,azure"`
	URL         string        `yaml:"url" doc:"Address of the server up to /chat/completions, such as http://127.0.0.1:11434/v1. Empty: with openai, that of OpenAI. With azure, https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT."`
	Version     string        `yaml:"version" doc:"With azure, the version of its interface (api-version), such as 2024-10-21."`
	Model       string        `yaml:"model" doc:"Name of the model."`
	Key         Secret        `yaml:"key" doc:"Key that the server asks for."`
	CA          string        `yaml:"ca" doc:"File with the certificates (PEM) of authorities that the server's certificate may be from. Empty: the system's."`
	Deadline    time.Duration `yaml:"deadline" doc:"Time that the model may take from the question to its last word; after it the answer ends." min:"100ms" max:"10m"`
	Temperature float64       `yaml:"temperature" doc:"How freely the model writes." min:"0" max:"2"`
	MaxTokens   int           `yaml:"max_tokens" doc:"Most tokens that the model may write." min:"16" max:"65536"`
	Confidence  float64       `yaml:"min_confidence" doc:"Confidence below which no model is asked to answer, beside questions with nothing relevant, for which none ever is." min:"0" max:"1"`
	Wordings    int           `yaml:"wordings" doc:"How many wordings of a question are searched, its own included: the model is asked for the others first, in one call. 1: its own alone, and no such call." min:"1" max:"8"`
	Planning    time.Duration `yaml:"planning" doc:"Time that this call may take; after it the question is searched as it is." min:"50ms" max:"1m"`
	Summaries   int           `yaml:"summaries" doc:"How many tokens a day (UTC) the model may read and write in the background for summaries of passages, which hits then show: at least 5,000. 0: none are made or shown; those that were made stay until their passages are gone." min:"0"`
	InPrice     float64       `yaml:"in_price" doc:"Price of a million tokens that the model reads, in whatever currency; with out_price, answers tell their cost." min:"0"`
	OutPrice    float64       `yaml:"out_price" doc:"Price of a million tokens that the model writes." min:"0"`
}

// Rerank chooses what looks at the best passages of an answer once more.
type Rerank struct {
	Kind     string        `yaml:"kind" doc:"What looks: nothing (none), or a server that speaks Cohere's /v2/rerank (cohere) or the /rerank of Text Embeddings Inference (tei)." enum:"none,cohere,tei"`
	URL      string        `yaml:"url" doc:"Address of the server, such as http://127.0.0.1:8080. Empty: with cohere, that of Cohere."`
	Model    string        `yaml:"model" doc:"Name of the model, with cohere."`
	Key      Secret        `yaml:"key" doc:"Key that the server asks for."`
	CA       string        `yaml:"ca" doc:"File with the certificates (PEM) of authorities that the server's certificate may be from. Empty: the system's."`
	Passages int           `yaml:"passages" doc:"How many of the best passages are looked at; their text goes to the server." min:"2" max:"1000"`
	Weight   float64       `yaml:"weight" doc:"What the server's order counts beside the one before it, which is never replaced altogether." min:"0.01" max:"0.9"`
	Deadline time.Duration `yaml:"deadline" doc:"Time that it may take; after it the answer keeps its order, and says so." min:"1ms" max:"1m"`
	Batch    int           `yaml:"batch" doc:"Most passages in one request, with tei: what the server's max-client-batch-size allows." min:"1" max:"1000"`
}
