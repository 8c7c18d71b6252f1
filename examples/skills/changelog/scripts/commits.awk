# Reads `git log` (full) or one line a commit, and prints a changelog in Markdown.
# Environment: TITLE is the heading of commits before the first tag.

BEGIN {
  section = ENVIRON["TITLE"]
  order = "Breaking changes|Added|Fixed|Changed|Removed|Documentation|Other"
  found = 0
  quiet = 0
  merges = 0
}

# No rule says `next` after it called a function: some awks lose the rest of the program then.
{ sub(/\r$/, "") }

# Full form: a line with the hash, headers, and the message indented by four blanks.
/^commit [0-9a-f]+/ {
  flush()
  full = 1
  hash = $2
  startTag($0)
}
full && /^    / && subject != "" && /BREAKING[ -]CHANGE/ { breaking = 1 }
full && /^    / && subject == "" { subject = substr($0, 5) }

# One line a commit: hash, perhaps tags, perhaps a date, subject. A graph's strokes may stand before the hash.
!full { sub(/^[*|\\\/ ]+/, "") }
!full && /^[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+ / {
  hash = $1
  startTag($0)
  subject = substr($0, length($1) + 2)
  sub(/^\([^)]*\) /, "", subject)
  sub(/^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] /, "", subject)
  flush()
}

END {
  flush()
  if (!found) exit 1
  if (!sections) print "Nothing that users notice."
  for (s = 1; s <= sections; s++) {
    if (s > 1) print ""
    print "## " names[s]
    n = split(order, kinds, "|")
    for (k = 1; k <= n; k++) if ((s, kinds[k]) in lines) print "\n### " kinds[k] "\n\n" substr(lines[s, kinds[k]], 2)
  }
  print "\n" found " commits read; not listed: " quiet " internal, " merges " merges."
}

function startTag(text) {
  if (match(text, /tag: [^,)]+/)) section = substr(text, RSTART + 5, RLENGTH - 5)
}

function flush() {
  if (subject ~ /^Merge (branch|pull request|remote|tag|commit)/) merges++
  else if (subject != "") commit(subject)
  if (subject != "") found++
  subject = ""
  breaking = 0
}

function commit(text,    kind, scope) {
  kind = kindOf(text)
  if (match(text, /^[a-z]+(\([^)]*\))?!?: /)) {
    scope = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
    if (scope ~ /!: $/) breaking = 1
    scope = match(scope, /\([^)]+\)/) ? "**" substr(scope, RSTART + 1, RLENGTH - 2) "**: " : ""
  }
  if (breaking) kind = "Breaking changes"
  if (kind == "") quiet++
  else add(kind, scope toupper(substr(text, 1, 1)) substr(text, 2))
}

function add(kind, text) {
  if (!sections || names[sections] != section) names[++sections] = section
  if (!((sections, text) in said)) lines[sections, kind] = lines[sections, kind] "\n- " text " (" substr(hash, 1, 7) ")"
  said[sections, text] = 1
}

# The heading for a subject; "" for work that users do not notice.
function kindOf(text,    word) {
  word = tolower(text)
  if (match(word, /^[a-z]+(\([^)]*\))?!?: /)) {
    sub(/[^a-z].*$/, "", word)
    if (word == "feat" || word == "feature" || word == "add") return "Added"
    if (word == "fix" || word == "bugfix" || word == "hotfix" || word == "security") return "Fixed"
    if (word == "perf" || word == "refactor" || word == "change" || word == "update") return "Changed"
    if (word == "revert" || word == "remove") return "Removed"
    if (word == "doc" || word == "docs") return "Documentation"
    if (word ~ /^(chore|ci|test|tests|build|style|release|wip)$/) return ""
    return "Other"
  }
  sub(/[^a-z].*$/, "", word)
  if (word ~ /^(add|adds|added|support|supports|introduce|introduces|allow|allows|implement|implements|create|creates)$/) return "Added"
  if (word ~ /^(fix|fixes|fixed|correct|corrects|prevent|prevents|repair|repairs|handle|handles|avoid|avoids)$/) return "Fixed"
  if (word ~ /^(remove|removes|removed|drop|drops|delete|deletes|revert|reverts)$/) return "Removed"
  if (word ~ /^(document|documents|docs|readme)$/) return "Documentation"
  if (word ~ /^(change|changes|update|updates|rename|renames|improve|improves|move|moves|make|makes|use|uses|upgrade|bump|refactor|simplify|speed)$/) return "Changed"
  return "Other"
}
