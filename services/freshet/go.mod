module github.com/freshet-dev/freshet/services/freshet

go 1.26.0

require github.com/freshet-dev/freshet/pkg v0.0.0

replace github.com/freshet-dev/freshet/pkg => ../../pkg
