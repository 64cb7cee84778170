// Package syntax cuts code along the syntax trees of tree-sitter. The grammars
// are C code that reads whatever people have in their files, so this package
// runs in a child process (package parser) and nowhere else but in tests.
package syntax

import (
	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/elixir"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/hcl"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/kotlin"
	"github.com/smacker/go-tree-sitter/lua"
	"github.com/smacker/go-tree-sitter/php"
	"github.com/smacker/go-tree-sitter/protobuf"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	"github.com/smacker/go-tree-sitter/scala"
	"github.com/smacker/go-tree-sitter/swift"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"

	"github.com/freshet-dev/freshet/pkg/document"
)

// role says what a node means for the outline of a file.
type role uint8

const (
	roleNone      role = iota // punctuation
	rolePlain                 // a statement, or anything without a meaning here
	roleComment               // belongs to what follows it; attributes too
	roleHeader                // package clause, import
	roleLead                  // part of the header while nothing else came before
	roleBody                  // stands for its children
	roleFlat                  // its first line, then its children on the same level
	roleWrap                  // a decoration around one definition
	roleDef                   // a definition
	roleContainer             // a definition that holds definitions
	roleThrough               // stands for its children, however small it is
	roleCall                  // what it is, the name that is called says
)

// how says where the name of a definition stands.
type how uint8

const (
	byField      how = iota // field "name"
	byReceiver              // Go method: receiver's type, then the name
	bySpecs                 // Go const, var, type: the names of the specs
	byDeclarator            // C: down the declarators
	byType                  // Rust impl: field "type"
	byAssignment            // Python: left side
	byVariable              // JavaScript const, let, var
	byExpression            // JavaScript: exports.name = function
	byMacro                 // C #define
	byFields                // C# fields and events: the names of the declarators
	byIdentifier            // the first child that is an identifier
	byKeyword               // what the node is called: init, constructor
	byPattern               // Scala: field "pattern"
	byConstant              // Ruby: the left side, where that is a constant
	byValue                 // Lua: field "name", without the table of the file
	byArgument              // Elixir: what the first argument names
	byLabels                // HCL: the labels of a block, as others refer to it
)

type spec struct {
	role role
	kind string
	how  how
}

type roles map[string]spec

func all(s spec, names ...string) roles {
	out := roles{}
	for _, n := range names {
		out[n] = s
	}
	return out
}

func join(parts ...roles) roles {
	out := roles{}
	for _, p := range parts {
		for n, s := range p {
			out[n] = s
		}
	}
	return out
}

func comments(names ...string) roles { return all(spec{role: roleComment}, names...) }
func headers(names ...string) roles  { return all(spec{role: roleHeader}, names...) }
func bodies(names ...string) roles   { return all(spec{role: roleBody}, names...) }
func wraps(names ...string) roles    { return all(spec{role: roleWrap}, names...) }
func functions(names ...string) roles {
	return all(spec{roleDef, document.KindFunction, byField}, names...)
}
func types(names ...string) roles { return all(spec{roleDef, document.KindType, byField}, names...) }
func classes(names ...string) roles {
	return all(spec{roleContainer, document.KindClass, byField}, names...)
}
func interfaces(names ...string) roles {
	return all(spec{roleContainer, document.KindType, byField}, names...)
}
func variables(h how, names ...string) roles {
	return all(spec{roleDef, document.KindVariable, h}, names...)
}

// entry is a grammar and what its nodes mean; a node that is not named there is plain.
type entry struct {
	grammar func() *sitter.Language
	roles   func() roles
}

// grammars are those of the languages that have one in the table of languages.
var grammars = map[string]entry{
	"c":          {c.GetLanguage, cRoles},
	"cpp":        {cpp.GetLanguage, func() roles { return join(cRoles(), cppRoles()) }},
	"csharp":     {csharp.GetLanguage, csharpRoles},
	"elixir":     {elixir.GetLanguage, elixirRoles},
	"go":         {golang.GetLanguage, goRoles},
	"hcl":        {hcl.GetLanguage, hclRoles},
	"java":       {java.GetLanguage, javaRoles},
	"javascript": {javascript.GetLanguage, scriptRoles},
	"kotlin":     {kotlin.GetLanguage, kotlinRoles},
	"lua":        {lua.GetLanguage, luaRoles},
	"php":        {php.GetLanguage, phpRoles},
	"protobuf":   {protobuf.GetLanguage, protobufRoles},
	"python":     {python.GetLanguage, pythonRoles},
	"ruby":       {ruby.GetLanguage, rubyRoles},
	"rust":       {rust.GetLanguage, rustRoles},
	"scala":      {scala.GetLanguage, scalaRoles},
	"swift":      {swift.GetLanguage, swiftRoles},
	"tsx":        {tsx.GetLanguage, typedScriptRoles},
	"typescript": {typescript.GetLanguage, typedScriptRoles},
}

func goRoles() roles {
	return join(
		comments("comment"), headers("package_clause", "import_declaration"),
		functions("function_declaration"),
		roles{
			"method_declaration": {roleDef, document.KindMethod, byReceiver},
			"type_declaration":   {roleDef, document.KindType, bySpecs},
		},
		variables(bySpecs, "const_declaration", "var_declaration"),
		bodies("block", "literal_value", "field_declaration_list", "var_spec_list"),
	)
}

func pythonRoles() roles {
	return join(
		comments("comment"), headers("import_statement", "import_from_statement", "future_import_statement"),
		functions("function_definition"), classes("class_definition"), wraps("decorated_definition"),
		variables(byAssignment, "expression_statement"), bodies("block"),
	)
}

func scriptRoles() roles {
	return join(
		comments("comment", "decorator"), headers("import_statement", "hash_bang_line"),
		functions("function_declaration", "generator_function_declaration"),
		all(spec{roleDef, document.KindMethod, byField}, "method_definition"),
		classes("class_declaration", "class"), wraps("export_statement"),
		variables(byVariable, "lexical_declaration", "variable_declaration"),
		variables(byExpression, "expression_statement"),
		variables(byField, "field_definition", "public_field_definition"),
		bodies("statement_block", "class_body", "object", "array", "arguments"),
	)
}

func typedScriptRoles() roles {
	return join(
		scriptRoles(),
		classes("abstract_class_declaration"), interfaces("interface_declaration"),
		types("type_alias_declaration", "enum_declaration"), wraps("ambient_declaration"),
		functions("function_signature"),
		all(spec{roleDef, document.KindMethod, byField}, "abstract_method_signature", "method_signature"),
		all(spec{roleFlat, document.KindModule, byField}, "internal_module", "module"),
		bodies("interface_body", "object_type", "enum_body"),
	)
}

func javaRoles() roles {
	return join(
		comments("line_comment", "block_comment", "comment"), headers("package_declaration", "import_declaration"),
		classes("class_declaration", "record_declaration"), interfaces("interface_declaration", "enum_declaration", "annotation_type_declaration"),
		all(spec{roleDef, document.KindMethod, byField}, "method_declaration", "constructor_declaration", "compact_constructor_declaration"),
		variables(byDeclarator, "field_declaration", "constant_declaration"),
		bodies("class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body", "block", "constructor_body"),
	)
}

func rustRoles() roles {
	return join(
		comments("line_comment", "block_comment", "attribute_item"),
		headers("use_declaration", "extern_crate_declaration", "inner_attribute_item"),
		functions("function_item", "macro_definition", "function_signature_item"),
		types("struct_item", "enum_item", "union_item", "type_item"), interfaces("trait_item"),
		roles{
			"impl_item":        {roleContainer, document.KindClass, byType},
			"mod_item":         {roleFlat, document.KindModule, byField},
			"foreign_mod_item": {roleFlat, document.KindModule, byField},
		},
		variables(byField, "const_item", "static_item"),
		bodies("block", "declaration_list", "field_declaration_list", "enum_variant_list", "match_block"),
	)
}

func cRoles() roles {
	return join(
		comments("comment"), headers("preproc_include"),
		all(spec{role: roleLead}, "preproc_call"),
		variables(byMacro, "preproc_def", "preproc_function_def"),
		all(spec{roleDef, document.KindFunction, byDeclarator}, "function_definition"),
		variables(byDeclarator, "declaration", "field_declaration"),
		types("struct_specifier", "union_specifier", "enum_specifier"),
		roles{"type_definition": {roleDef, document.KindType, byDeclarator}},
		all(spec{role: roleFlat}, "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "preproc_elifdef", "linkage_specification"),
		bodies("compound_statement", "declaration_list", "field_declaration_list", "enumerator_list", "initializer_list"),
	)
}

func cppRoles() roles {
	return join(
		classes("class_specifier", "struct_specifier"), wraps("template_declaration"),
		all(spec{roleFlat, document.KindModule, byField}, "namespace_definition"),
		all(spec{role: roleLead}, "using_declaration", "namespace_alias_definition"),
		types("alias_declaration", "concept_definition"),
	)
}

// csharpRoles: what the preprocessor sees stands between definitions, and a region
// belongs to what follows it.
func csharpRoles() roles {
	return join(
		comments("comment", "preproc_region"),
		headers("using_directive", "extern_alias_directive", "global_attribute"),
		all(spec{role: roleLead}, "preproc_pragma", "preproc_nullable", "preproc_define", "preproc_undef"),
		all(spec{role: roleFlat}, "preproc_if", "preproc_elif", "preproc_else"),
		all(spec{roleFlat, document.KindModule, byField}, "namespace_declaration", "file_scoped_namespace_declaration"),
		classes("class_declaration", "struct_declaration", "record_declaration"),
		interfaces("interface_declaration", "enum_declaration"), types("delegate_declaration"),
		all(spec{roleDef, document.KindMethod, byField}, "method_declaration", "constructor_declaration", "destructor_declaration",
			"operator_declaration", "conversion_operator_declaration", "indexer_declaration"),
		variables(byField, "property_declaration", "event_declaration"),
		variables(byFields, "field_declaration", "event_field_declaration"),
		bodies("declaration_list", "enum_member_declaration_list", "block", "accessor_list", "switch_body", "initializer_expression"),
	)
}
