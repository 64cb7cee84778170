package syntax

import "github.com/freshet-dev/freshet/pkg/document"

func kotlinRoles() roles {
	return join(
		comments("line_comment", "multiline_comment", "comment"),
		headers("package_header", "import_header", "file_annotation", "shebang_line"),
		all(spec{role: roleFlat}, "import_list", "companion_object"),
		all(spec{roleContainer, document.KindClass, byIdentifier}, "class_declaration", "object_declaration"),
		all(spec{roleDef, document.KindFunction, byIdentifier}, "function_declaration"),
		all(spec{roleDef, document.KindMethod, byKeyword}, "secondary_constructor"),
		all(spec{roleDef, document.KindType, byIdentifier}, "type_alias"),
		variables(byIdentifier, "property_declaration"),
		bodies("class_body", "enum_class_body", "function_body", "statements", "control_structure_body", "lambda_literal"),
	)
}

func scalaRoles() roles {
	return join(
		comments("comment", "block_comment"), headers("package_clause", "import_declaration"),
		classes("class_definition", "object_definition", "package_object"), interfaces("trait_definition", "enum_definition"),
		functions("function_definition", "function_declaration", "given_definition"), types("type_definition"),
		variables(byPattern, "val_definition", "var_definition", "val_declaration", "var_declaration"),
		bodies("template_body", "enum_body", "block", "indented_block", "case_block"),
	)
}
