import { invalid } from '../errors.ts';
import { RawJson } from './rawJson.ts';
import { nestingExceeds, skipSpace, skipString, skipValue } from './scan.ts';

export interface ReadOptions {
  /** The maximum nesting of arrays and objects, the outermost included. Default: none. */
  maxDepth?: number | undefined;
}

/** A key of an object, or an index of an array. */
export type PathSegment = string | number;

/** Parsed JSON that keeps its source. */
export interface JsonDocument {
  readonly text: string;
  /**
   * A plain copy by the rules of `JSON.parse`: the last of equal keys wins, and `__proto__` is an
   * ordinary key.
   */
  readonly value: unknown;
  /**
   * The exact source of the value at a path; of the whole value for an empty path. Undefined if
   * there is none. The first look into a container scans it once, and later ones use an index.
   */
  raw(...path: PathSegment[]): RawJson | undefined;
}

/**
 * Reads JSON text. Throws `invalid` on malformed text. Nesting deeper than `maxDepth` is refused
 * before parsing, and the error names the limit.
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

/** The position of a value in the source and, once requested, of its members. */
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

/** From the end of a member to the start of the next, or to the closing bracket. */
function skipSeparator(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === ',' ? skipSpace(text, next + 1) : next;
}

function readKey(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end - 1);
  return key.includes('\\') ? String(JSON.parse(text.slice(start, end))) : key;
}
