import {
  type DocumentNode,
  GraphQLError,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { schema } from '../schema/index.ts';
import { CheckTurns } from './checkTurns.ts';
import { breaksOf, brokenLimit, brokenText, type DocumentLimits } from './documentLimits.ts';
import { findConflict } from './fieldConflicts.ts';
import { mayIntrospect } from './introspection.ts';

/** A document of a caller: ready to run, or its mistakes. */
export type ReadDocument =
  | { document: DocumentNode; mayIntrospect: boolean; errors?: undefined }
  | ({ document?: undefined } & Mistakes);

/** The mistakes in a document. */
export interface Mistakes {
  errors: readonly GraphQLError[];
  /** Whether the document is valid but too large. */
  isOverLimit: boolean;
}

const maxErrors = 20;
const cachedDocuments = 500;
/** Characters of all cached documents. Each takes up to 250 bytes of memory (measured). */
const cachedCharacters = 500_000;
/** Longer documents are rare, and would fill the cache. */
const cachedLength = 20_000;

/** Errors of a larger document have no positions: each is searched for in the whole text. */
const located = { characters: 5_000, breaks: 200, tokens: 500 };

export interface DocumentOptions extends DocumentLimits {
  /** Whether errors suggest no names of the schema. Default: they do. */
  hidesSuggestions?: boolean | undefined;
}

/** The caller of a document: its checks take turns with those of other callers. */
export interface DocumentCaller {
  name: string;
  /** Whether the caller still waits for the answer. */
  isThere(): boolean;
}

/** Parses, limits and validates documents. Caches them, as callers repeat a few of them. */
export class Documents {
  readonly #options: DocumentOptions;
  readonly #turns = new CheckTurns();
  readonly #cache = new Map<string, ReadDocument>();
  #cachedCharacters = 0;

  constructor(options: DocumentOptions) {
    this.#options = options;
  }

  get hidesSuggestions(): boolean {
    return this.#options.hidesSuggestions ?? false;
  }

  /** The cached documents. */
  get remembered(): { documents: number; characters: number } {
    return { documents: this.#cache.size, characters: this.#cachedCharacters };
  }

  /**
   * Reads a document, or finds it in the cache. Documents with mistakes are not cached. A document
   * that is not in the cache waits for its turn; throws `busy` if too many wait.
   */
  async read(source: string, caller: DocumentCaller): Promise<ReadDocument> {
    return this.#find(source) ?? this.#turns.take(caller.name, caller.isThere, () => this.check(source));
  }

  /** Reads a document at once. */
  check(source: string): ReadDocument {
    const read = this.#find(source) ?? check(source, this.#options);
    if (read.document && source.length <= cachedLength) this.#remember(source, read);
    return read;
  }

  #find(source: string): ReadDocument | undefined {
    const known = this.#cache.get(source);
    if (known) {
      // The map keeps the order of insertion: the document used last becomes the last one.
      this.#cache.delete(source);
      this.#cache.set(source, known);
    }
    return known;
  }

  #remember(source: string, read: ReadDocument): void {
    if (this.#cache.has(source)) return;
    this.#cache.set(source, read);
    this.#cachedCharacters += source.length;
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= cachedDocuments && this.#cachedCharacters <= cachedCharacters) return;
      this.#cache.delete(oldest);
      this.#cachedCharacters -= oldest.length;
    }
  }
}

/** The rules of GraphQL but one, which `findConflict` replaces. */
const rules = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/** Cheap refusals come first. A refusal takes at most 20 ms of CPU. */
function check(source: string, { hidesSuggestions = false, ...limits }: DocumentOptions): ReadDocument {
  try {
    const broken = brokenText(source);
    if (broken) return overLimit(broken);
    const document = parseWithin(source, limits);
    const limit = brokenLimit(document, limits);
    if (limit) return overLimit(limit);
    const errors = validate(schema, document, rules, { maxErrors, hideSuggestions: hidesSuggestions });
    if (errors.some(isAborted)) return overLimit(tooMuchToFollow);
    if (errors.length > 0) return { errors, isOverLimit: false };
    const conflict = findConflict(document);
    if (conflict) return { errors: [conflict], isOverLimit: false };
    return { document, mayIntrospect: mayIntrospect(source) };
  } catch (error) {
    // The parser recurses: its stack may overflow before a limit is checked.
    if (error instanceof RangeError) return overLimit('the document is nested too deep');
    if (!(error instanceof GraphQLError)) throw error;
    const { tokens } = limits;
    const isTooLong = error.message.includes(`${tokens} tokens`);
    return isTooLong
      ? overLimit(`the document has more than ${tokens} tokens`)
      : { errors: [error], isOverLimit: false };
  }
}

function parseWithin(source: string, { tokens: maxTokens }: DocumentLimits): DocumentNode {
  const isShort = source.length <= located.characters && breaksOf(source, located.breaks) <= located.breaks;
  const document = parse(source, { maxTokens, noLocation: !isShort });
  const { tokenCount = 0 } = document;
  return isShort && tokenCount > located.tokens ? parse(source, { noLocation: true }) : document;
}

const overLimit = (message: string): ReadDocument => ({ errors: [new GraphQLError(message)], isOverLimit: true });

const tooMuchToFollow = 'the document takes too much work to check: its operations spread too many fragments';

/** GraphQL.js follows fragments in each operation, and gives up without naming them. */
const isAborted = ({ message }: GraphQLError): boolean => message === 'Validation aborted.';
