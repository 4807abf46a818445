import { setImmediate } from 'node:timers/promises';
import type { Page, Section } from './pages.ts';
import { wordsOf } from './words.ts';

/** A section that a search found. */
export interface Hit {
  /** The name of its page. */
  page: string;
  title: string;
  heading: string;
  /** Where `read_doc` begins to read it. */
  offset: number;
  excerpt: string;
}

interface Entry {
  page: Page;
  section: Section;
  /** The weight of each word. */
  weights: ReadonlyMap<string, number>;
  length: number;
}

/** What a word of a heading, a title and a page's name counts. One of the text counts 1. */
const weightOf = { heading: 6, title: 3, name: 3 } as const;
/** Parameters of BM25: how soon repetitions stop counting, and how much length counts. */
const saturation = 1.4;
const lengthShare = 0.6;
/** Pages for developers of Holdfast come after those for its users. */
const ofInternals = 0.5;
/** A word that only begins like one of the query. */
const ofPrefix = 0.5;
const maxOfPage = 3;
const excerptCharacters = 240;

/** The most words of a query that count. */
const maxWords = 20;

/** How well a section fits a query. */
interface Score {
  sum: number;
  /** How many words of the query it has. */
  words: number;
}

/** An index of the sections of all pages, by their words. Its answers depend on the pages alone. */
export class PageIndex {
  readonly #entries: Entry[] = [];
  readonly #withWord = new Map<string, Entry[]>();
  #length = 0;

  /** Makes the index of the pages. Others get turns of the event loop meanwhile. */
  static async of(pages: readonly Page[]): Promise<PageIndex> {
    const index = new PageIndex();
    for (const page of pages) {
      index.#add(page);
      await setImmediate();
    }
    return index;
  }

  #add(page: Page): void {
    for (const section of page.sections) {
      const entry = entryOf(page, section);
      this.#entries.push(entry);
      this.#length += entry.length;
      for (const word of entry.weights.keys()) {
        const known = this.#withWord.get(word);
        if (known) known.push(entry);
        else this.#withWord.set(word, [entry]);
      }
    }
  }

  /** The best sections for the words of a query, at most three of a page. */
  search(query: string, limit: number): { hits: Hit[]; total: number } {
    const words = [...new Set(wordsOf(query))].slice(0, maxWords);
    const scores = new Map<Entry, Score>();
    for (const word of words) this.#count(word, scores);
    const ranked = this.#entries
      .filter((entry) => scores.has(entry))
      .map((entry, place) => ({ entry, place, score: rankOf(entry, scores.get(entry)) }))
      .sort((one, other) => other.score - one.score || one.place - other.place)
      .map(({ entry }) => entry);
    return { hits: fewOfEach(ranked, limit).map((entry) => hitOf(entry, words)), total: ranked.length };
  }

  /** Adds to the score of each section that has the word, or else one that begins with it. */
  #count(word: string, scores: Map<Entry, Score>): void {
    const isKnown = this.#withWord.has(word);
    const share = isKnown ? 1 : ofPrefix;
    const best = new Map<Entry, number>();
    for (const found of isKnown ? [word] : this.#wordsThatBegin(word)) {
      for (const entry of this.#withWord.get(found) ?? []) {
        best.set(entry, Math.max(best.get(entry) ?? 0, share * this.#scoreOf(entry, found)));
      }
    }
    for (const [entry, score] of best) {
      const { sum, words } = scores.get(entry) ?? { sum: 0, words: 0 };
      scores.set(entry, { sum: sum + score, words: words + 1 });
    }
  }

  /** BM25: rare words count more, repetitions and long sections less. */
  #scoreOf({ weights, length }: Entry, word: string): number {
    const count = this.#withWord.get(word)?.length ?? 0;
    const rarity = Math.log(1 + (this.#entries.length - count + 0.5) / (count + 0.5));
    const often = weights.get(word) ?? 0;
    const mean = this.#length / Math.max(1, this.#entries.length);
    const longer = 1 - lengthShare + (lengthShare * length) / Math.max(1, mean);
    return (rarity * often * (saturation + 1)) / (often + saturation * longer);
  }

  #wordsThatBegin(word: string): string[] {
    if (word.length < 3) return [];
    return [...this.#withWord.keys()].filter((known) => known.startsWith(word));
  }
}

/** Sections with more of the words come first. Those for developers of Holdfast come late. */
const rankOf = ({ page }: Entry, { sum, words }: Score = { sum: 0, words: 0 }): number =>
  sum * words * (isInternal(page) ? ofInternals : 1);

const isInternal = ({ name }: Page): boolean => /^(?:internals|decisions)\//.test(name);

function entryOf(page: Page, section: Section): Entry {
  const weights = new Map<string, number>();
  const count = (text: string, weight: number): number => {
    const words = wordsOf(text);
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight);
    return words.length;
  };
  count(section.heading, weightOf.heading);
  count(page.title, weightOf.title);
  count(page.name, weightOf.name);
  return { page, section, weights, length: count(section.text, 1) };
}

function fewOfEach(ranked: readonly Entry[], limit: number): Entry[] {
  const taken = new Map<Page, number>();
  const few: Entry[] = [];
  for (const entry of ranked) {
    const count = taken.get(entry.page) ?? 0;
    if (few.length >= limit) break;
    if (count >= maxOfPage) continue;
    taken.set(entry.page, count + 1);
    few.push(entry);
  }
  return few;
}

const hitOf = ({ page, section }: Entry, words: readonly string[]): Hit => ({
  page: page.name,
  title: page.title,
  heading: section.heading,
  offset: section.offset,
  excerpt: excerptOf(section, words),
});

/** The lines of a section that hold the most words of the query. */
function excerptOf({ text }: Section, words: readonly string[]): string {
  const lines = text.split('\n').filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^(?:#|```)/.test(line));
  const counts = lines.map((line) => {
    const found = new Set(wordsOf(line));
    return words.filter((word) => found.has(word)).length;
  });
  const best = counts.indexOf(Math.max(...counts, 0));
  return shortened(lines.slice(Math.max(0, best)).join(' '), words);
}

/** The beginning of a text, or a part around its first word of the query if that comes late. */
function shortened(source: string, words: readonly string[]): string {
  const text = source.replace(/\s+/g, ' ').trim();
  if (text.length <= excerptCharacters) return text;
  const at = [...text.matchAll(/[^\s]+/g)].find(([each]) => wordsOf(each).some((word) => words.includes(word)))?.index;
  const from = at === undefined || at < excerptCharacters * 0.75 ? 0 : text.lastIndexOf(' ', at - 60) + 1;
  const part = text.slice(from, from + excerptCharacters).replace(/[\ud800-\udbff]$/, '');
  return `${from > 0 ? '…' : ''}${part}${from + excerptCharacters < text.length ? '…' : ''}`;
}
