package syntax

import "github.com/freshet-dev/freshet/pkg/document"

func phpRoles() roles {
	return join(
		comments("comment"), headers("namespace_use_declaration", "declare_statement"),
		all(spec{role: roleLead}, "php_tag"),
		all(spec{roleFlat, document.KindModule, byField}, "namespace_definition"),
		functions("function_definition"),
		all(spec{roleDef, document.KindMethod, byField}, "method_declaration"),
		classes("class_declaration", "trait_declaration"), interfaces("interface_declaration", "enum_declaration"),
		variables(byIdentifier, "const_declaration", "property_declaration"),
		bodies("declaration_list", "enum_declaration_list", "compound_statement", "array_creation_expression"),
	)
}
