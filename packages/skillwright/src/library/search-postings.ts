/** The fields of a skill, by number. */
export const fieldNames = ["name", "description", "body"] as const;
/** How much a word counts in each field. */
const fieldWeights = [3, 2, 1] as const;
/** How far a field longer than the average lowers the weight of its words: 0 not at all, 1 in proportion. */
const fieldLengthShares = [0.6, 0.65, 0.8] as const;
/** The count at which a word has half of its highest gain. */
const saturation = 2;

/** A skill as numbers: the terms of its fields one after the other, in reading order. */
export interface IndexedSkill {
  readonly id: string;
  readonly revision: string;
  readonly terms: Int32Array;
  /** Where the name ends and the description starts. */
  readonly nameEnd: number;
  /** Where the description ends and the body starts. */
  readonly descriptionEnd: number;
}

/** Which skills hold a term, and what it is worth in each. */
export interface Postings {
  readonly skills: readonly IndexedSkill[];
  /** Where the postings of each term start; one more than there are terms. */
  readonly starts: Int32Array;
  readonly documents: Int32Array;
  /** The saturated count of the term in the document, weighed by field and length. */
  readonly gains: Float32Array;
  /** How rare each term is; 0 when no skill holds it. */
  readonly rarities: Float64Array;
  /** Whether the term stands in the name of the document: 1 or 0. */
  readonly inName: Uint8Array;
  /** The rarities of the different terms of each skill's name, summed. */
  readonly nameRarities: Float64Array;
  /** What one occurrence counts in a field of a skill: three to a skill. */
  readonly scales: Float32Array;
}

/** The field a position of a skill's terms belongs to. */
export function fieldAt(skill: IndexedSkill, position: number): number {
  if (position < skill.nameEnd) return 0;
  return position < skill.descriptionEnd ? 1 : 2;
}

/** Lets a weighed count grow ever more slowly. */
export function saturate(count: number): number {
  return (count * (saturation + 1)) / (count + saturation);
}

/** Turns skills to terms into terms to skills: BM25F, all but the rarity of the term. */
export function buildPostings(skills: readonly IndexedSkill[], termCount: number): Postings {
  const starts = countDocuments(skills, termCount);
  const rarities = Float64Array.from({ length: termCount }, (_, term) =>
    rarity((starts[term + 1] ?? 0) - (starts[term] ?? 0), skills.length),
  );
  const scales = fieldScales(skills);
  const size = starts[termCount] ?? 0;
  const documents = new Int32Array(size);
  const gains = new Float32Array(size);
  const inName = new Uint8Array(size);
  const nameRarities = new Float64Array(skills.length);
  const next = starts.slice();
  const last = new Int32Array(termCount).fill(-1);
  skills.forEach((skill, document) => {
    const { terms } = skill;
    for (let position = 0; position < terms.length; position++) {
      const term = terms[position] ?? 0;
      const field = fieldAt(skill, position);
      if (last[term] !== document) {
        last[term] = document;
        documents[next[term] ?? 0] = document;
        next[term] = (next[term] ?? 0) + 1;
        if (field === 0) nameRarities[document] = (nameRarities[document] ?? 0) + (rarities[term] ?? 0);
      }
      const slot = (next[term] ?? 0) - 1;
      if (field === 0) inName[slot] = 1;
      gains[slot] = (gains[slot] ?? 0) + (scales[document * 3 + field] ?? 0);
    }
  });
  for (let slot = 0; slot < size; slot++) gains[slot] = saturate(gains[slot] ?? 0);
  return { skills, starts, documents, gains, inName, rarities, nameRarities, scales };
}

function countDocuments(skills: readonly IndexedSkill[], termCount: number): Int32Array {
  const starts = new Int32Array(termCount + 1);
  const last = new Int32Array(termCount).fill(-1);
  skills.forEach(({ terms }, document) => {
    for (const term of terms) {
      if (last[term] === document) continue;
      last[term] = document;
      starts[term + 1] = (starts[term + 1] ?? 0) + 1;
    }
  });
  for (let term = 0; term < termCount; term++) starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  return starts;
}

function rarity(documents: number, total: number): number {
  return documents === 0 ? 0 : Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}

function fieldScales(skills: readonly IndexedSkill[]): Float32Array {
  const totals = [0, 0, 0];
  const lengths = skills.map((skill) => [skill.nameEnd, skill.descriptionEnd - skill.nameEnd, skill.terms.length - skill.descriptionEnd]);
  for (const fields of lengths) for (const [field, length] of fields.entries()) totals[field] = (totals[field] ?? 0) + length;
  const scales = new Float32Array(skills.length * 3);
  lengths.forEach((fields, document) => {
    fieldWeights.forEach((weight, field) => {
      const average = (totals[field] ?? 0) / skills.length || 1;
      const share = fieldLengthShares[field] ?? 0;
      scales[document * 3 + field] = weight / (1 - share + (share * (fields[field] ?? 0)) / average);
    });
  });
  return scales;
}
