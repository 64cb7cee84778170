package syntax

import "github.com/freshet-dev/freshet/pkg/document"

func bashRoles() roles {
	return join(
		comments("comment"), functions("function_definition"),
		variables(byField, "variable_assignment"),
		bodies("compound_statement", "do_group", "subshell"),
	)
}

func luaRoles() roles {
	return join(
		comments("comment"),
		all(spec{roleDef, document.KindFunction, byValue}, "function_statement"),
		variables(byValue, "variable_declaration"),
		bodies("function_body", "tableconstructor", "fieldlist"),
	)
}
