package syntax

import "github.com/freshet-dev/freshet/pkg/document"

func luaRoles() roles {
	return join(
		comments("comment"),
		all(spec{roleDef, document.KindFunction, byValue}, "function_statement"),
		variables(byValue, "variable_declaration"),
		bodies("function_body", "tableconstructor", "fieldlist"),
	)
}
