import { type DocumentNode, GraphQLError, parse, specifiedRules, validate } from 'graphql';
import { schema } from '../schema/index.ts';
import { brokenLimit, type DocumentLimits } from './documentLimits.ts';

/** A document from outside: ready to run, or the mistakes in it. */
export type ReadDocument = { document: DocumentNode; errors?: undefined } | ({ document?: undefined } & Mistakes);

/** What is wrong with a document. */
export interface Mistakes {
  errors: readonly GraphQLError[];
  /** Whether it is no mistake in what the document says, but more of it than is taken. */
  isOverLimit: boolean;
}

const maxTokens = 100_000;
/**
 * Of GraphQL.js, which does not export it: two steps for each two fields of one name in one place.
 */
const maxComparingSteps = 500_000;
/** Of GraphQL.js, too: fragments that operations reach, all counted. */
const maxSpreadSteps = 50_000;
const maxErrors = 20;
const cachedDocuments = 500;
/**
 * Characters of all that are remembered together. In memory, each takes up to 250 bytes (measured).
 */
const cachedCharacters = 500_000;
/** Longer ones are rare, and would fill the cache with text. */
const cachedLength = 20_000;

/**
 * Parses, bounds and validates documents. Callers send the same few again and again, so those are
 * remembered.
 */
export class Documents {
  readonly #limits: DocumentLimits;
  readonly #cache = new Map<string, ReadDocument>();
  #cachedCharacters = 0;

  constructor(limits: DocumentLimits) {
    this.#limits = limits;
  }

  /** What is remembered now. */
  get remembered(): { documents: number; characters: number } {
    return { documents: this.#cache.size, characters: this.#cachedCharacters };
  }

  /**
   * Reads a document, or remembers it: the same one is then ready at once. Those with mistakes are
   * not remembered.
   */
  read(source: string): ReadDocument {
    const known = this.#cache.get(source);
    if (known) {
      // The map keeps the order of insertion: what was used last goes last.
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
    // The parser recurses: its stack ends before any limit can be counted.
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
 * Fields of one name are compared pair by pair, fragments followed by each operation; GraphQL.js
 * gives up without saying on which.
 */
const isTiredOfComparing = ({ message }: GraphQLError): boolean => message === 'Validation aborted.';
