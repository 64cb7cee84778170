package syntax

import "github.com/freshet-dev/freshet/pkg/document"

func protobufRoles() roles {
	return join(
		comments("comment"), headers("syntax", "package", "import"), all(spec{role: roleLead}, "option"),
		all(spec{roleContainer, document.KindType, byIdentifier}, "message", "enum", "service"),
		all(spec{roleDef, document.KindMethod, byIdentifier}, "rpc"),
		bodies("message_body", "enum_body"),
	)
}

// hclRoles: the blocks of a configuration define what others refer to.
func hclRoles() roles {
	return join(
		comments("comment"), all(spec{role: roleThrough}, "body"),
		all(spec{roleDef, document.KindVariable, byLabels}, "block"),
		variables(byIdentifier, "attribute"),
	)
}
