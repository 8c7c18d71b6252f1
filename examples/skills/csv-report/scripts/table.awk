# Reads a CSV table and prints totals, averages and sums by group.
# Environment: GROUP and VALUE choose columns, NAME is the file's name for the heading.

BEGIN {
  wantGroup = ENVIRON["GROUP"]
  wantValue = ENVIRON["VALUE"]
  pending = ""
  open = 0
  columns = 0
  rows = 0
}

{
  line = $0
  sub(/\r$/, "", line)
  if (NR == 1) {
    sub(/^\357\273\277/, "", line)
    separator = guessSeparator(line)
  }
  pending = open ? pending "\n" line : line
  open = quotes(pending) % 2
  if (!open && pending ~ /[^ \t]/) record(pending)
}

END {
  if (open) fail("a quoted field is never closed; the file ends inside it.")
  if (columns == 0) fail("there is no header row.")
  if (rows == 0) fail("there is a header row but no data below it.")
  classify()
  chooseMeasure()
  report()
}

function fail(message) {
  print "report.sh: " ENVIRON["NAME"] ": " message
  failed = 1
  exit 1
}

function guessSeparator(text,    commas, tabs, semicolons) {
  commas = gsub(/,/, ",", text)
  tabs = gsub(/\t/, "\t", text)
  semicolons = gsub(/;/, ";", text)
  if (tabs > commas && tabs >= semicolons) return "\t"
  if (semicolons > commas) return ";"
  return ","
}

function quotes(text) {
  return gsub(/"/, "\"", text)
}

# Splits one record into field[1..n]; quotes may hold separators, line breaks and doubled quotes.
function splitRecord(text,    n, at, size, char, quoted, value) {
  n = 0
  value = ""
  quoted = 0
  size = length(text)
  for (at = 1; at <= size; at++) {
    char = substr(text, at, 1)
    if (quoted) {
      if (char != "\"") value = value char
      else if (substr(text, at + 1, 1) == "\"") { value = value "\""; at++ }
      else quoted = 0
    } else if (char == "\"" && value ~ /^[ \t]*$/) { quoted = 1; value = "" }
    else if (char == separator) { field[++n] = trim(value); value = "" }
    else value = value char
  }
  field[++n] = trim(value)
  return n
}

function trim(text) {
  gsub(/[ \t\n]+/, " ", text)
  sub(/^ /, "", text)
  sub(/ $/, "", text)
  return text
}

function record(text,    n, c) {
  n = splitRecord(text)
  if (columns == 0) {
    columns = n
    for (c = 1; c <= n; c++) header[c] = field[c] == "" ? "column " c : field[c]
    return
  }
  rows++
  if (n != columns) uneven++
  for (c = 1; c <= columns; c++) {
    cell[rows, c] = c <= n ? field[c] : ""
    if (cell[rows, c] != "") note(c, cell[rows, c])
  }
}

function note(c, text) {
  filled[c]++
  if (isNumber(text)) numbers[c]++
  if (isDate(text)) dates[c]++
  if (!((c, text) in seen)) distinct[c]++
  seen[c, text] = 1
}

function isDate(text) {
  return text ~ /^[0-9][0-9][0-9][0-9][-\/][0-9][0-9]?[-\/][0-9][0-9]?/
}

function plain(text) {
  gsub(/^[ $]+|€|£|¥/, "", text)
  gsub(/ /, "", text)
  if (text ~ /^\(.*\)$/) text = "-" substr(text, 2, length(text) - 2)
  if (text ~ /^[-+]?[0-9][0-9]?[0-9]?(,[0-9][0-9][0-9])+(\.[0-9]+)?$/) gsub(/,/, "", text)
  return text
}

function isNumber(text) {
  return plain(text) ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/
}

function number(text) {
  return isNumber(text) ? plain(text) + 0 : 0
}

function classify(    c, name) {
  for (c = 1; c <= columns; c++) {
    name = tolower(header[c])
    kind[c] = "other"
    if (dates[c] > 0 && dates[c] >= 0.9 * filled[c]) kind[c] = "date"
    else if (numbers[c] > 0 && numbers[c] >= 0.9 * filled[c]) {
      kind[c] = "number"
      if (name ~ /price|rate|unit.?cost/) { if (!price) price = c }
      else if (name ~ /amount|revenue|sales|turnover|total|value|cost|expense/) { if (!amount) amount = c }
      else if (name ~ /unit|quantity|qty|count|pieces/) { if (!quantity) quantity = c }
      if (name ~ /(^|[^a-z])(id|no|number|year|zip|code)$/) kind[c] = "other"
    } else if (distinct[c] <= 20 && distinct[c] < filled[c]) kind[c] = "group"
  }
}

function columnOf(wanted,    c, names) {
  for (c = 1; c <= columns; c++) if (tolower(header[c]) == tolower(wanted)) return c
  if (wanted ~ /^[0-9]+$/ && wanted + 0 >= 1 && wanted + 0 <= columns) return wanted + 0
  for (c = 1; c <= columns; c++) names = c > 1 ? names ", " header[c] : header[c]
  fail("there is no column \"" wanted "\"; the columns are: " names ".")
}

function chooseMeasure(    c, r) {
  if (wantValue != "") measure = columnOf(wantValue)
  else if (amount) measure = amount
  else if (!(quantity && price)) for (c = 1; c <= columns && !measure; c++) if (kind[c] == "number") measure = c
  if (measure && !numbers[measure]) fail("the column \"" header[measure] "\" holds no numbers.")
  label = measure ? header[measure] : quantity && price ? "sales" : "rows"
  for (r = 1; r <= rows; r++) {
    if (measure) amounts[r] = number(cell[r, measure])
    else if (quantity && price) amounts[r] = number(cell[r, quantity]) * number(cell[r, price])
    else amounts[r] = 1
    sum += amounts[r]
  }
}

# 1234567.5 -> 1,234,567.50; whole numbers stay whole.
function money(amount,    text, sign, whole, rest) {
  text = sprintf(amount == int(amount) && !decimals ? "%.0f" : "%.2f", amount)
  sign = text ~ /^-/ ? "-" : ""
  sub(/^-/, "", text)
  whole = text
  rest = ""
  if (index(text, ".")) { whole = substr(text, 1, index(text, ".") - 1); rest = substr(text, index(text, ".")) }
  while (length(whole) > 3) { rest = "," substr(whole, length(whole) - 2) rest; whole = substr(whole, 1, length(whole) - 3) }
  return sign whole rest
}

function report(    c, r, skipped, grouped) {
  for (r = 1; r <= rows; r++) if (amounts[r] != int(amounts[r])) decimals = 1
  print "Table: " ENVIRON["NAME"] ", " counted(rows, "row") ", " counted(columns, "column")
  if (label != "rows") {
    print "Measure: " (measure ? label : label " = " header[quantity] " x " header[price])
    print "Total " label ": " money(sum)
    print "Average " label " for a row: " sprintf("%.2f", sum / rows)
    for (c = 1; c <= columns; c++) if (kind[c] == "number" && c != measure && c != price) print "Total " header[c] ": " total(c)
  }
  for (c = 1; c <= columns; c++) {
    if (wantGroup != "" ? c == columnOf(wantGroup) : kind[c] == "group" || (kind[c] == "date" && months(c) > 1)) { byGroup(c); grouped = 1 }
  }
  if (!grouped) print "No column repeats its values, so there is nothing to group by."
  for (c = 1; c <= columns; c++) if (kind[c] == "number") skipped += filled[c] - numbers[c]
  if (skipped) print "\nNote: " counted(skipped, "cell") " in numeric columns could not be read as a number and counted as 0."
  if (uneven) print "\nNote: " counted(uneven, "row") " with more or fewer fields than the header."
}

function total(c,    r, result) {
  for (r = 1; r <= rows; r++) result += number(cell[r, c])
  return result == int(result) ? sprintf("%.0f", result) : sprintf("%.2f", result)
}

function keyOf(r, c,    text) {
  text = cell[r, c]
  if (text == "") return "(empty)"
  return kind[c] == "date" ? substr(text, 1, 7) : text
}

function months(c,    r, key, count) {
  for (r = 1; r <= rows; r++) {
    key = keyOf(r, c)
    if (!((c, key) in monthSeen)) { monthSeen[c, key] = 1; count++ }
  }
  return count
}

function byGroup(c,    r, key, n, i, j, swap, name, width) {
  n = 0
  for (r = 1; r <= rows; r++) {
    key = keyOf(r, c)
    if (!((c, key) in sums)) { names[++n] = key; sums[c, key] = 0 }
    sums[c, key] += amounts[r]
    sizes[c, key]++
  }
  for (i = 2; i <= n; i++) for (j = i; j > 1 && before(c, names[j], names[j - 1]); j--) { swap = names[j]; names[j] = names[j - 1]; names[j - 1] = swap }
  name = kind[c] == "date" ? "month" : header[c]
  for (i = 1; i <= n; i++) if (length(names[i]) > width) width = length(names[i])
  print "\n" upper(label) " by " name ":"
  for (i = 1; i <= n && i <= 20; i++) printf "  %-" width "s  %s (%s, %s, average %.2f)\n", names[i], money(sums[c, names[i]]), share(sums[c, names[i]]), counted(sizes[c, names[i]], "row"), sums[c, names[i]] / sizes[c, names[i]]
  if (n > 20) print "  ... and " n - 20 " more"
  print "Top " name ": " names[1] " with " money(sums[c, names[1]]) " (" share(sums[c, names[1]]) ")"
}

function before(c, a, b) {
  return sums[c, a] != sums[c, b] ? sums[c, a] > sums[c, b] : a < b
}

function counted(n, noun) {
  return n " " (n == 1 ? noun : noun "s")
}

function share(amount) {
  return sum == 0 ? "0.0 %" : sprintf("%.1f %%", 100 * amount / sum)
}

function upper(text) {
  return toupper(substr(text, 1, 1)) substr(text, 2)
}
