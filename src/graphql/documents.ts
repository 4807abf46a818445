import { type DocumentNode, GraphQLError, parse, specifiedRules, validate } from 'graphql';
import { schema } from '../schema/index.ts';
import { brokenLimit, type DocumentLimits } from './documentLimits.ts';

/** A document of a caller: ready to run, or its mistakes. */
export type ReadDocument = { document: DocumentNode; errors?: undefined } | ({ document?: undefined } & Mistakes);

/** The mistakes in a document. */
export interface Mistakes {
  errors: readonly GraphQLError[];
  /** Whether the document is valid but too large. */
  isOverLimit: boolean;
}

const maxTokens = 100_000;
/** A limit of GraphQL.js, which does not export it: two steps per pair of fields with one name. */
const maxComparingSteps = 500_000;
/** Also of GraphQL.js: the fragments that operations reach. */
const maxSpreadSteps = 50_000;
const maxErrors = 20;
const cachedDocuments = 500;
/** Characters of all cached documents. Each takes up to 250 bytes of memory (measured). */
const cachedCharacters = 500_000;
/** Longer documents are rare, and would fill the cache. */
const cachedLength = 20_000;

/** Parses, limits and validates documents. Caches them, as callers repeat a few of them. */
export class Documents {
  readonly #limits: DocumentLimits;
  readonly #cache = new Map<string, ReadDocument>();
  #cachedCharacters = 0;

  constructor(limits: DocumentLimits) {
    this.#limits = limits;
  }

  /** The cached documents. */
  get remembered(): { documents: number; characters: number } {
    return { documents: this.#cache.size, characters: this.#cachedCharacters };
  }

  /** Reads a document, or finds it in the cache. Documents with mistakes are not cached. */
  read(source: string): ReadDocument {
    const known = this.#cache.get(source);
    if (known) {
      // The map keeps the order of insertion: the document used last becomes the last one.
      this.#cache.delete(source);
      this.#cache.set(source, known);
      return known;
    }
    const read = check(source, this.#limits);
    if (read.document && source.length <= cachedLength) this.#remember(source, read);
    return read;
  }

  #remember(source: string, read: ReadDocument): void {
    this.#cache.set(source, read);
    this.#cachedCharacters += source.length;
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= cachedDocuments && this.#cachedCharacters <= cachedCharacters) return;
      this.#cache.delete(oldest);
      this.#cachedCharacters -= oldest.length;
    }
  }
}

function check(source: string, limits: DocumentLimits): ReadDocument {
  try {
    const document = parse(source, { maxTokens });
    const limit = brokenLimit(document, limits);
    if (limit) return overLimit(limit.message);
    const errors = validate(schema, document, specifiedRules, { maxErrors });
    if (errors.some(isTiredOfComparing)) return overLimit(tooManyRepeats);
    return errors.length > 0 ? { errors, isOverLimit: false } : { document };
  } catch (error) {
    // The parser recurses: its stack may overflow before a limit is checked.
    if (error instanceof RangeError) return overLimit('the document is nested too deep');
    if (!(error instanceof GraphQLError)) throw error;
    return hasTooManyTokens(error) ? overLimit(tooManyTokens) : { errors: [error], isOverLimit: false };
  }
}

const overLimit = (message: string): ReadDocument => ({ errors: [new GraphQLError(message)], isOverLimit: true });

const tooManyTokens = `the document has more than ${maxTokens} tokens`;
const tooManyRepeats =
  'the document takes too much work to check: it repeats a field too often (comparing each two of one name takes more than ' +
  `${maxComparingSteps} steps, as about 700 in one place do), or many operations spread fragments (more than ${maxSpreadSteps} steps)`;

const hasTooManyTokens = ({ message }: GraphQLError): boolean => message.includes(`${maxTokens} tokens`);

/**
 * GraphQL.js compares fields of one name pair by pair, and follows fragments in each operation. It
 * gives up without naming the fields.
 */
const isTiredOfComparing = ({ message }: GraphQLError): boolean => message === 'Validation aborted.';
