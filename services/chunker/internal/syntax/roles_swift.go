package syntax

import "github.com/freshet-dev/freshet/pkg/document"

// swiftRoles: a structure, an enumeration, an extension and an actor are classes to
// this grammar.
func swiftRoles() roles {
	return join(
		comments("comment", "multiline_comment"), headers("import_declaration", "shebang_line"),
		all(spec{role: roleLead}, "directive"),
		classes("class_declaration"), interfaces("protocol_declaration"), types("typealias_declaration"),
		functions("function_declaration", "protocol_function_declaration"),
		all(spec{roleDef, document.KindMethod, byKeyword}, "init_declaration", "deinit_declaration", "subscript_declaration"),
		variables(byField, "property_declaration"),
		bodies("class_body", "enum_class_body", "protocol_body", "function_body", "statements", "computed_property", "lambda_literal"),
	)
}
