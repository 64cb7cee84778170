package config

// Ranking are the weights of the order of an answer. A signal that is to be
// left out has the weight 0, a penalty and the saturation the factor 1.
type Ranking struct {
	Fusion       string  `yaml:"fusion" doc:"How the two engines' lists become one: convex adds their scores, brought to 0 to 1; rrf adds the reciprocals of their ranks." enum:"convex,rrf"`
	RankConstant float64 `yaml:"rank_constant" doc:"The constant of rrf: 1 / (constant + rank)." min:"1" max:"1000000"`

	VectorNatural float64 `yaml:"vector_natural" doc:"Share of vectors in a question in words; the words' engine has the rest." min:"0" max:"1"`
	VectorProse   float64 `yaml:"vector_prose" doc:"The same for passages of documentation." min:"0" max:"1"`
	VectorSymbol  float64 `yaml:"vector_symbol" doc:"Share of vectors in a question of names alone." min:"0" max:"1"`
	VectorPath    float64 `yaml:"vector_path" doc:"Share of vectors in a question for a path." min:"0" max:"1"`
	VectorError   float64 `yaml:"vector_error" doc:"Share of vectors in a question that is an error message." min:"0" max:"1"`

	Definition       float64 `yaml:"definition" doc:"Added where a passage defines the identifier asked for." min:"0" max:"10"`
	DefinitionMember float64 `yaml:"definition_member" doc:"Factor of definition where the identifier is that of a member, such as a method, and the question does not name what it belongs to." min:"0" max:"1"`
	DefinitionWord   float64 `yaml:"definition_word" doc:"Factor of definition where its name is a plain word of the question." min:"0" max:"1"`
	DefinitionParts  float64 `yaml:"definition_parts" doc:"Factor of definition where all parts of its name are in the question." min:"0" max:"1"`
	DefinitionPart   float64 `yaml:"definition_part" doc:"Added to definition_parts for each part." min:"0" max:"1"`

	Verbatim float64 `yaml:"verbatim" doc:"Added where a passage holds the text of the question as it was typed, such as a line that was copied: more than everything else makes together." min:"0" max:"100"`
	Named    float64 `yaml:"named" doc:"Added where a passage defines the name that the question is, such as os.ReadFile or RWMutex.Lock; less where only its letters, or a folder further out, fit." min:"0" max:"100"`
	Place    float64 `yaml:"place" doc:"Added where a passage holds a line that the question names, such as merge.go:93 or a frame of a stack; the innermost frame counts most." min:"0" max:"100"`

	Path      float64 `yaml:"path" doc:"Added where the question names the path or its end." min:"0" max:"10"`
	Stem      float64 `yaml:"stem" doc:"Added times the share of the file name's words that are in the question." min:"0" max:"10"`
	StemNear  float64 `yaml:"stem_near" doc:"How much a word of the file name counts that is only near one of the question: auth for authentication, checker for check, urlmap for url map; 1 is as much as the word itself." min:"0" max:"1"`
	Directory float64 `yaml:"directory" doc:"Added times the share of the words of the last three folders that are in the question." min:"0" max:"10"`
	Coherence float64 `yaml:"coherence" doc:"Added to a file times what its further passages score." min:"0" max:"10"`

	CoherenceDecay float64 `yaml:"coherence_decay" doc:"Factor of each further passage beside the one before it, in coherence." min:"0" max:"1"`

	Prose float64 `yaml:"prose" doc:"How much stem, directory, coherence and saturation count for files of the collection docs; 1 is as much as for code." min:"0" max:"1"`

	Long     float64 `yaml:"long" doc:"How much stem, directory, coherence and saturation count for a question of long_to words; 1 is as much as for a short one." min:"0" max:"1"`
	LongFrom float64 `yaml:"long_from" doc:"Up to how many words that name something a question is short." min:"0" max:"1000"`
	LongTo   float64 `yaml:"long_to" doc:"From how many it is long; between the two it is so in part." min:"0" max:"1000"`

	PenaltyPower     float64 `yaml:"penalty_power" doc:"Exponent of the product of the penalties; 0 switches them off." min:"0" max:"10"`
	PenaltyTest      float64 `yaml:"penalty_test" doc:"Factor for tests, unless the question asks for them; so with the penalties below." min:"0" max:"1"`
	PenaltyVendor    float64 `yaml:"penalty_vendor" doc:"Factor for vendored code." min:"0" max:"1"`
	PenaltyGenerated float64 `yaml:"penalty_generated" doc:"Factor for generated code." min:"0" max:"1"`
	PenaltyExample   float64 `yaml:"penalty_example" doc:"Factor for examples." min:"0" max:"1"`
	PenaltyLegacy    float64 `yaml:"penalty_legacy" doc:"Factor for legacy code." min:"0" max:"1"`
	PenaltyAside     float64 `yaml:"penalty_aside" doc:"Factor for documentation and data where the question is an issue that does not ask for them." min:"0" max:"1"`
	PenaltyForm      float64 `yaml:"penalty_form" doc:"Factor for the forms of issues and pull requests, whose text stands in every issue." min:"0" max:"1"`
	PenaltyIssue     float64 `yaml:"penalty_issue" doc:"What penalty_power is where the question is an issue." min:"0" max:"10"`

	Language float64 `yaml:"language" doc:"Share of its score that is added to a file in a programming language that the question names: in python, rust." min:"0" max:"10"`
	Intent   float64 `yaml:"intent" doc:"The same for a file of the collection docs where the question asks for documentation, a guide, a readme or the like." min:"0" max:"10"`

	Saturation     float64 `yaml:"saturation" doc:"Factor for each further passage of one file." min:"0" max:"1"`
	SaturationLead float64 `yaml:"saturation_lead" doc:"How fast saturation fades for a file that stands above all others: at 1 it is gone for one of twice the next one's score." min:"0" max:"100"`
}

func defaultRanking() Ranking {
	return Ranking{
		Fusion: "convex", RankConstant: 60,
		VectorNatural: .45, VectorProse: .18, VectorSymbol: .35, VectorPath: .35, VectorError: .5,
		Definition: .5, DefinitionMember: .4, DefinitionWord: .1, DefinitionParts: .18, DefinitionPart: .12,
		Verbatim: 20, Named: 10, Place: 15,
		Path: 1, Stem: .5, StemNear: 1, Directory: .15, Coherence: .3, CoherenceDecay: .6, Prose: 0,
		Long: 0, LongFrom: 5, LongTo: 12,
		PenaltyPower: .42, PenaltyTest: .3, PenaltyVendor: .3, PenaltyGenerated: .3, PenaltyExample: .4, PenaltyLegacy: .5, PenaltyAside: .3, PenaltyForm: .05, PenaltyIssue: .7,
		Language: .5, Intent: .5,
		Saturation: .4, SaturationLead: 1.2,
	}
}
