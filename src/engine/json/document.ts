import { invalid } from '../errors.ts';
import { RawJson } from './rawJson.ts';
import { nestingExceeds, skipSpace, skipString, skipValue } from './scan.ts';

export interface ReadOptions {
  /**
   * Levels of arrays and objects allowed, the outermost included. Default: no bound but JSON's own.
   */
  maxDepth?: number | undefined;
}

/** A step into a value: a key of an object, or an index of an array. */
export type PathSegment = string | number;

/** Parsed JSON that remembers its source. */
export interface JsonDocument {
  /** The source, as given. */
  readonly text: string;
  /**
   * A plain copy by the rules of `JSON.parse`: the last of equal keys wins, `__proto__` is a key
   * like any other.
   */
  readonly value: unknown;
  /**
   * The source of the value at a path, character by character; of the whole value when the path is
   * empty. Undefined where there is none. The first look into a container costs one pass over it,
   * later ones a lookup.
   */
  raw(...path: PathSegment[]): RawJson | undefined;
}

/**
 * Reads JSON text, which then is valid. Throws `invalid` on text that is no JSON, and, before
 * anything is parsed, on nesting deeper than `maxDepth`, naming the limit.
 */
export function readJson(text: string, options: ReadOptions = {}): JsonDocument {
  const { maxDepth } = options;
  if (maxDepth !== undefined && nestingExceeds(text, maxDepth)) {
    throw invalid(`JSON is nested deeper than ${maxDepth} levels`);
  }
  return new SourceDocument(text, parse(text));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the input.
    throw invalid('malformed JSON');
  }
}

/** Where a value stands in the source, and, once asked for, where its members stand. */
interface Span {
  start: number;
  end: number;
  members: Members | undefined;
}

type Members = Map<string, Span> | Span[];

class SourceDocument implements JsonDocument {
  readonly text: string;
  readonly value: unknown;
  #root: Span | undefined;

  constructor(text: string, value: unknown) {
    this.text = text;
    this.value = value;
  }

  raw(...path: PathSegment[]): RawJson | undefined {
    this.#root ??= rootSpan(this.text);
    let span: Span | undefined = this.#root;
    for (const segment of path) {
      span = memberOf(this.text, span, segment);
      if (!span) return undefined;
    }
    return RawJson.trusted(this.text.slice(span.start, span.end));
  }
}

function rootSpan(text: string): Span {
  const start = skipSpace(text, 0);
  return { start, end: skipValue(text, start), members: undefined };
}

function memberOf(text: string, span: Span, segment: PathSegment): Span | undefined {
  span.members ??= membersOf(text, span);
  if (typeof segment === 'number') return Array.isArray(span.members) ? span.members[segment] : undefined;
  return Array.isArray(span.members) ? undefined : span.members.get(segment);
}

function membersOf(text: string, span: Span): Members {
  const first = text[span.start];
  if (first === '{') return objectMembers(text, span);
  return first === '[' ? arrayMembers(text, span) : [];
}

function objectMembers(text: string, span: Span): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = skipSpace(text, span.start + 1);
  while (text[at] === '"') {
    const keyEnd = skipString(text, at);
    const key = readKey(text, at, keyEnd);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    members.set(key, { start, end, members: undefined });
    at = skipSeparator(text, end);
  }
  return members;
}

function arrayMembers(text: string, span: Span): Span[] {
  const members: Span[] = [];
  let start = skipSpace(text, span.start + 1);
  while (start < span.end && text[start] !== ']') {
    const end = skipValue(text, start);
    members.push({ start, end, members: undefined });
    start = skipSeparator(text, end);
  }
  return members;
}

/** From the end of one member to the start of the next, or to the closing bracket. */
function skipSeparator(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === ',' ? skipSpace(text, next + 1) : next;
}

function readKey(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end - 1);
  return key.includes('\\') ? String(JSON.parse(text.slice(start, end))) : key;
}
