package syntax

import "github.com/freshet-dev/freshet/pkg/document"

// elixirRoles: in Elixir everything is a call, definitions and attributes too.
func elixirRoles() roles {
	return join(
		comments("comment"), all(spec{role: roleCall}, "call", "unary_operator"),
		bodies("do_block", "stab_clause", "body", "list", "map"),
	)
}

// elixirCall is what a call means, by the name that is called.
func elixirCall(name string) spec {
	switch name {
	case "defmodule", "defprotocol", "defimpl":
		return spec{roleContainer, document.KindModule, byArgument}
	case "def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate", "defn", "defnp":
		return spec{roleDef, document.KindFunction, byArgument}
	case "use", "alias", "import", "require":
		return spec{role: roleHeader}
	}
	return spec{role: rolePlain}
}

// elixirAttribute is what "@name" means: some say something of the function below.
func elixirAttribute(name string) spec {
	switch name {
	case "doc", "spec", "impl", "typedoc", "deprecated", "callback", "macrocallback", "tag", "dialyzer":
		return spec{role: roleComment}
	}
	return spec{role: rolePlain}
}
