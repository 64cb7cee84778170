package syntax

import "github.com/freshet-dev/freshet/pkg/document"

func rubyRoles() roles {
	return join(
		comments("comment"), all(spec{role: roleCall}, "call"),
		functions("method", "singleton_method"), classes("class"),
		all(spec{roleContainer, document.KindModule, byField}, "module"),
		all(spec{role: roleFlat}, "singleton_class"),
		variables(byConstant, "assignment"),
		bodies("body_statement", "do_block", "block", "block_body", "array", "hash"),
	)
}

// rubyCall is what a call means: some name what the file needs.
func rubyCall(name string) spec {
	switch name {
	case "require", "require_relative":
		return spec{role: roleHeader}
	}
	return spec{role: rolePlain}
}
