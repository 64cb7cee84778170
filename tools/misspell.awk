# Prints task files (an object a line, or golden questions in YAML) with the longest
# word of each question misspelt by one edit: two neighbours exchanged, a letter
# left out, or a letter twice. Which one, and where, follows from the question, so
# that every run misspells alike; with LC_ALL=C, every awk.

function number(text, most,   i, n) {
	n = 7
	for (i = 1; i <= length(text); i++) n = (n * 131 + index(letters, substr(text, i, 1))) % 2147483647
	return n % most
}

function misspell(text,   plain, at, word, from, i, edit) {
	plain = text
	gsub(/\\./, "  ", plain) # an escape is no letter
	word = ""
	for (at = 1; match(substr(plain, at), /[A-Za-z]+/); at += RSTART + RLENGTH - 1)
		if (RLENGTH > length(word)) {
			word = substr(plain, at + RSTART - 1, RLENGTH)
			from = at + RSTART - 1
		}
	if (length(word) < 4) return text
	i = 1 + number(text, length(word) - 2) # never the first letter
	edit = number(text word, 3)
	if (edit == 0 && substr(word, i + 1, 1) != substr(word, i + 2, 1))
		word = substr(word, 1, i) substr(word, i + 2, 1) substr(word, i + 1, 1) substr(word, i + 3)
	else if (edit == 1)
		word = substr(word, 1, i) substr(word, i + 2)
	else
		word = substr(word, 1, i + 1) substr(word, i + 1)
	match(substr(plain, from), /^[A-Za-z]+/)
	return substr(text, 1, from - 1) word substr(text, from + RLENGTH)
}

BEGIN { letters = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" }

match($0, /^ *- question: /) {
	start = RLENGTH + 1 # misspell matches, too
	print substr($0, 1, start - 1) misspell(substr($0, start))
	next
}

match($0, /"query": *"/) {
	start = RSTART + RLENGTH
	for (end = start; end <= length($0) && substr($0, end, 1) != "\""; end++)
		if (substr($0, end, 1) == "\\") end++
	print substr($0, 1, start - 1) misspell(substr($0, start, end - start)) substr($0, end)
	next
}

{ print }
