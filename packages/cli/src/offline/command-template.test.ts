import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTemplate, plainText, quote, type TemplateItem, unquote } from "./command-template.ts";

/** A short form for tables: `«slot»`, `«slot:a/b»` with choices, `«slot*»` for several, `[...]` for optional parts, `|op|` for operators. */
function show(items: readonly TemplateItem[] | undefined): string {
  if (items === undefined) return "unreadable";
  return items
    .map((item) => {
      if (item.kind === "operator") return `|${item.text}|`;
      if (item.kind === "optional") return `[${show(item.items)}]`;
      return item.parts
        .map((part) =>
          part.kind === "literal"
            ? part.text
            : `«${part.name}${part.choices.length > 0 ? `:${part.choices.join("/")}` : ""}${part.many ? "*" : ""}»`,
        )
        .join("");
    })
    .join(" ");
}

test.each([
  ["plain words", "bash a.sh in.txt", "bash a.sh in.txt"],
  ["angle brackets", "a.py <input_file> <output>", "a.py «input_file» «output»"],
  ["angle brackets with blanks", "a.py <input file>", "a.py «input file»"],
  ["angle brackets in Chinese", "a.py <图片路径>", "a.py «图片路径»"],
  ["braces", "a.py {input} {{ output }}", "a.py «input» «output»"],
  ["a variable", `a.py "$INPUT" $\{OUT}`, "a.py «INPUT» «OUT»"],
  ["arguments of a script", 'a.sh $1 "$@"', "a.sh «input» «input»"],
  ["variables that every run has", "a.sh $OUTPUT_DIR/x.txt", "a.sh $OUTPUT_DIR/x.txt"],
  ["words in capitals", "a.py INPUT_FILE OUTPUT", "a.py «INPUT_FILE» «OUTPUT»"],
  ["words in capitals that mean themselves", "a.py GET PDF", "a.py GET PDF"],
  ["an optional option", "a.py <f> [--lang <language>]", "a.py «f» [--lang «language»]"],
  ["optional parts in each other", "a.py [--top <n> [--all]]", "a.py [--top «n» [--all]]"],
  ["an optional word", "a.py [file]", "a.py [file]"],
  ["choices in angle brackets", "a.py <json|text>", "a.py «json|text:json/text»"],
  ["choices in square brackets", "a.py [json|text]", "a.py [«json|text:json/text»]"],
  ["several values", "a.py <files...> [more ...]", "a.py «files*» [more]"],
  ["dots for the rest", "a.py in.txt ...", "a.py in.txt"],
  ["a placeholder inside a word", "a.py --lang=<code> out/<name>.png", "a.py --lang=«code» out/«name».png"],
  ["a placeholder in quotes", 'a.py "<your text>" "in <place>"', `a.py «your text» "in "«place»`],
  ["an instruction in quotes", 'a.py "[describe the picture]"', "a.py «describe the picture»"],
  ["braces that are code", "jq '{name: .n}' a.json", "jq '{name: .n}' a.json"],
  ["an awk program", "awk -F, '{print $1}' a.csv", "awk -F, '{print $1}' a.csv"],
  ["a pipe and a redirection", "cat a.txt | sort > b.txt", "cat a.txt ||| sort |>| b.txt"],
  ["errors thrown away", "a.sh x 2>/dev/null", "a.sh x |2>| /dev/null"],
  ["a redirection that is no placeholder", "sort < names.txt", "sort |<| names.txt"],
  ["a substitution", "echo $(date)", "unreadable"],
  ["backticks", "echo `date`", "unreadable"],
  ["an open quote", 'a.py "half', "unreadable"],
  ["a here-document", "cat <<EOF", "unreadable"],
  ["a test", "[ -f a.txt ] && echo yes", "unreadable"],
  ["an open bracket", "a.py [--x", "unreadable"],
])("%s", (_, line, shown) => {
  expect(show(parseTemplate(line))).toBe(shown);
});

test("a quoted text reads back as itself", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((text) => !text.includes("\0")),
      (text) => {
        expect(unquote(quote(text))).toBe(text);
      },
    ),
  );
});

test("any line parses or is refused; words hold no blanks outside quotes", () => {
  const pieces = fc.constantFrom("<", ">", "[", "]", "{", "}", "$", "'", '"', "\\", "|", "...", " ", "a", "--b", "C_FILE", "é", "`");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      for (const item of parseTemplate(parts.join("")) ?? []) {
        if (item.kind === "word") expect(typeof plainText(item.parts)).toBe("string");
      }
    }),
  );
});
