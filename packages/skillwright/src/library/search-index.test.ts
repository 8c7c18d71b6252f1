import fc from "fast-check";
import { expect, test } from "vitest";
import { createSearchIndex, type SearchDocument, type SearchMatch } from "./search-index.ts";

function skill(name: string, description = "", body = "", revision = "1"): SearchDocument {
  return { id: name, name, description, body, revision };
}

const library = [
  skill("csv-report", "Turns a CSV export into a report with totals.", "Read the file, group the rows, write the report as Markdown."),
  skill("pdf-forms", "Fills in the forms of PDF files.", "List the fields first. A report of empty fields goes to the user."),
  skill("git-history", "Explains who changed a line and why.", "Walk the commits with blame and summarise them."),
  skill("imageResizer", "Makes pictures smaller.", "Scale photographs and keep their proportions."),
  skill("weather-ja", "天気予報を調べる", "東京の天気と気温を表示します。"),
  skill("travel-plan", "为用户规划旅行路线", "根据城市和天数安排每天的行程。"),
  skill("front-end", "Builds pages for the browser.", "Components, styles and accessibility."),
];

function search(query: string, documents: readonly SearchDocument[] = library, limit = 10): SearchMatch[] {
  const index = createSearchIndex();
  index.update(documents);
  return index.search(query, limit);
}

test.each([
  ["a word of the name", "csv", "csv-report"],
  ["another form of a word", "reporting on exported CSVs", "csv-report"],
  ["the past form", "filled form", "pdf-forms"],
  ["a word of the body alone", "photograph proportions", "imageResizer"],
  ["a part of a camel-case name", "resizer for images", "imageResizer"],
  ["a camel-case name as written", "ImageResizer", "imageResizer"],
  ["a compound as written", "csv-report", "csv-report"],
  ["a compound in one word", "csvreport", "csv-report"],
  ["a compound in camel case", "csvReport", "csv-report"],
  ["a compound in snake case", "csv_report", "csv-report"],
  ["a compound with a short part in one word", "frontend", "front-end"],
  ["upper case", "PDF FORMS", "pdf-forms"],
  ["full-width letters", "ＰＤＦ", "pdf-forms"],
  ["a letter left out", "histry", "git-history"],
  ["two letters swapped", "brwoser", "front-end"],
  ["a letter too many", "blamee", "git-history"],
  ["Japanese", "東京の気温", "weather-ja"],
  ["Chinese inside a longer word", "旅行路线图", "travel-plan"],
  ["one character of Japanese and a word", "天 weather", "weather-ja"],
])("%s finds the skill", (_, query, wanted) => {
  expect(search(query)[0]?.id).toBe(wanted);
});

test.each([
  ["nothing", ""],
  ["white space", " \n\t"],
  ["punctuation", "?!… -- ()"],
  ["words that say nothing", "what is it that you would do with the"],
  ["a word that no skill holds", "zymurgy"],
  ["a lone surrogate", "\ud800"],
  ["one long word", "x".repeat(100_000)],
])("%s finds nothing", (_, query) => {
  expect(search(query)).toEqual([]);
});

test("an empty index finds nothing", () => {
  expect(createSearchIndex().search("csv", 5)).toEqual([]);
  expect(search("csv", [])).toEqual([]);
});

test("skills without any text are kept and never found", () => {
  const found = search("report", [skill("", "", ""), { id: "bare", name: "", description: "", revision: "1" }, ...library]);
  expect(found.map(({ id }) => id)).toEqual(["csv-report", "pdf-forms"]);
});

test("a word of the name counts more than one of the description, and that more than one of the body", () => {
  const found = search("audit", [
    skill("one", "Looks at the logs.", "Starts an audit."),
    skill("two", "Runs an audit.", "Looks at the logs."),
    skill("audit", "Looks at the logs.", "Starts here."),
  ]);
  expect(found.map(({ id }) => id)).toEqual(["audit", "two", "one"]);
});

test("a name said in full comes before a name said in part", () => {
  const found = search("please audit my site for seo", [
    skill("audit-of-local-business-listings", "Checks listings."),
    skill("seo-audit", "Checks pages."),
    skill("seo-content-brief-writer", "Writes briefs."),
  ]);
  expect(found[0]?.id).toBe("seo-audit");
});

test("words side by side count more than the same words apart", () => {
  const found = search("pull request", [
    skill("a", "Request the parts that you want to pull over."),
    skill("b", "Open the pull request that you want to have."),
  ]);
  expect(found.map(({ id }) => id)).toEqual(["b", "a"]);
});

test("a name of words that say nothing is found by them, and by them alone", () => {
  const documents = [...library, skill("who", "Health figures."), skill("once-upon", "Tells a story about what was.")];
  expect(search("who?", documents).map(({ id }) => id)).toEqual(["who"]);
  expect(search("once upon", documents).map(({ id }) => id)).toEqual(["once-upon"]);
  expect(search("who changed a line", documents).map(({ id }) => id)).toEqual(["git-history"]);
});

test("equal scores are ordered by id, whatever the order they came in", () => {
  const same = ["c", "a", "b"].map((id) => ({ id, name: "alike", description: "text", revision: "1" }));
  expect(search("alike", same).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(search("alike", same.toReversed())).toEqual(search("alike", same));
});

test("a smaller limit answers the head of a larger one", () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    skill(`s${index}`, `report ${index % 7} rows ${index % 3 ? "of a table" : "table report"}`),
  );
  const all = search("report table rows", many, 1_000);
  expect(all).toHaveLength(200);
  for (const limit of [1, 10, 49, 50, 51, 120]) expect(search("report table rows", many, limit)).toEqual(all.slice(0, limit));
  expect(search("report", many, 0)).toEqual([]);
  expect(search("report", many, -3)).toEqual([]);
});

test("words after the first 300 of a body do not count", () => {
  const body = [...Array.from({ length: 299 }, (_, index) => `w${index}`), "inside", "outside"].join(" ");
  expect(search("inside", [skill("a", "", body)])).toHaveLength(1);
  expect(search("outside", [skill("a", "", body)])).toEqual([]);
});

test("three characters of Chinese count as one word of a body", () => {
  const body = `${"山".repeat(898)}城市${"水".repeat(10)}`;
  expect(search("城市", [skill("a", "", body)])).toHaveLength(1);
  expect(search("水水", [skill("a", "", body)])).toEqual([]);
});

test.each(["__proto__", "constructor", "hasOwnProperty", "toString", "__defineGetter__"])("%s is a word like others", (word) => {
  expect(search(word)).toEqual([]);
  expect(search(word, [...library, skill(word, "An ordinary skill.")])[0]?.id).toBe(word);
});

test("a query of a megabyte is answered from its first words", () => {
  const query = `csv report ${"filler ".repeat(150_000)} weather`;
  const found = search(query);
  expect(found[0]?.id).toBe("csv-report");
  expect(found.map(({ id }) => id)).not.toContain("weather-ja");
});

test("a word said often does not drown the others", () => {
  const found = search(`${"report ".repeat(50)} git history of the line`, [
    skill("report", "Writes a report. Report after report."),
    skill("git-history", "Explains the history of a line in git."),
  ]);
  expect(found[0]?.id).toBe("git-history");
});

test.each([
  ["each word with its fields", "csv report", "csv-report", "csv (name, description), report (name, description, body)"],
  ["the words of the query, not of the skill", "reporting", "pdf-forms", "reporting (body)"],
  ["a word said twice once", "report report", "pdf-forms", "report (body)"],
  ["a misspelt word as it was written", "histry", "git-history", "histry (name)"],
  ["characters as the run they came from", "东京旅行路线图", "travel-plan", "旅行路线 (description)"],
  ["runs apart when they stand in different fields", "天気予報、気温", "weather-ja", "天気予報 (description), 気温 (body)"],
  ["nothing of the words that did not match", "report about zymurgy", "pdf-forms", "report (body)"],
])("why names %s", (_, query, id, why) => {
  expect(search(query).find((match) => match.id === id)?.why).toBe(why);
});

test("why counts the words it does not name", () => {
  const words = ["amber", "birch", "cedar", "dune", "ember", "fjord", "glade", "heath"];
  expect(search(words.join(" "), [skill("s", words.join(" "))])[0]?.why).toBe(
    "amber (description), birch (description), cedar (description), dune (description), ember (description), fjord (description), 2 more",
  );
});

test("an unchanged revision is not read again", () => {
  let reads = 0;
  const lazy: SearchDocument = {
    id: "lazy",
    name: "lazy",
    description: "",
    revision: "1",
    get body() {
      reads++;
      return "kestrel";
    },
  };
  const index = createSearchIndex();
  index.update([lazy]);
  index.update([lazy, ...library]);
  index.update([lazy]);
  expect(reads).toBe(1);
  expect(index.search("kestrel", 1)).toHaveLength(1);
});

test("a changed revision replaces the text, a removed document is gone", () => {
  const index = createSearchIndex();
  index.update([skill("a", "old words"), skill("b", "old stones")]);
  index.update([skill("a", "new words", "", "2")]);
  expect(index.search("old", 5)).toEqual([]);
  expect(index.search("new", 5).map(({ id }) => id)).toEqual(["a"]);
});

test("of equal ids the first counts", () => {
  const found = search("first second", [skill("a", "first"), skill("a", "second")]);
  expect(found.map(({ why }) => why)).toEqual(["first (description)"]);
});

test("an index that has seen many other words answers as a new one", () => {
  const passing = Array.from({ length: 60 }, (_, index) =>
    skill(`p${index}`, Array.from({ length: 300 }, (_, word) => `x${index}y${word}`).join(" ")),
  );
  const index = createSearchIndex();
  index.update(passing);
  index.search("x1y1", 1);
  index.update(library);
  expect(index.search("x1y1", 5)).toEqual([]);
  expect(index.search("csv report histry", 5)).toEqual(search("csv report histry", library, 5));
});

const word = fc.constantFrom(
  "csv",
  "report",
  "reports",
  "pdf",
  "git",
  "history",
  "天気",
  "予報",
  "the",
  "frontEnd",
  "__proto__",
  "naïve",
  "42",
);
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
const document = fc.record({
  id: fc.constantFrom("a", "b", "c", "d", "constructor"),
  name: text,
  description: text,
  body: text,
});
/** Equal documents have equal revisions. */
const documents = fc
  .uniqueArray(document, { selector: ({ id }) => id, maxLength: 5 })
  .map((list): SearchDocument[] => list.map((entry) => ({ ...entry, revision: JSON.stringify(entry) })));

test("an index updated step by step answers as one built at once", () => {
  fc.assert(
    fc.property(fc.array(documents, { minLength: 1, maxLength: 5 }), text, fc.boolean(), (steps, query, searchBetween) => {
      const index = createSearchIndex();
      for (const step of steps) {
        index.update(step);
        if (searchBetween) index.search(query, 3);
      }
      expect(index.search(query, 5)).toEqual(search(query, steps.at(-1), 5));
    }),
  );
});

test("any text can be indexed and searched, and scores fall", () => {
  const anyText = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 5 }), anyText, (texts, query) => {
      const found = search(
        query,
        texts.map((entry, index) => skill(`${index}`, entry, entry)),
      );
      for (const [index, { score, why }] of found.entries()) {
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThanOrEqual(found[index - 1]?.score ?? Number.POSITIVE_INFINITY);
        expect(why).not.toBe("");
      }
    }),
  );
});
