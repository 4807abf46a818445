import { type DocumentNode, GraphQLError, parse, specifiedRules, validate } from 'graphql';
import { schema } from '../schema/index.ts';
import { brokenLimit, type DocumentLimits, defaultDocumentLimits } from './documentLimits.ts';

/** A document from outside: ready to run, or the mistakes in it. */
export type ReadDocument =
  | { document: DocumentNode; errors?: undefined }
  | { document?: undefined; errors: readonly GraphQLError[] };

const maxTokens = 100_000;
const maxErrors = 20;
const cachedDocuments = 500;
/** Characters of all that are remembered together. In memory, each takes up to 250 bytes (measured). */
const cachedCharacters = 500_000;
/** Longer ones are rare, and would fill the cache with text. */
const cachedLength = 20_000;

/** Parses, bounds and validates documents. Callers send the same few again and again, so those are remembered. */
export class Documents {
  readonly #limits: DocumentLimits;
  readonly #cache = new Map<string, ReadDocument>();
  #cachedCharacters = 0;

  constructor(limits: DocumentLimits = defaultDocumentLimits) {
    this.#limits = limits;
  }

  /** What is remembered now. */
  get remembered(): { documents: number; characters: number } {
    return { documents: this.#cache.size, characters: this.#cachedCharacters };
  }

  /** Reads a document, or remembers it: the same one is then ready at once. Those with mistakes are not remembered. */
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
    if (limit) return { errors: [limit] };
    const errors = validate(schema, document, specifiedRules, { maxErrors });
    return errors.length > 0 ? { errors: errors.map(explained) } : { document };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    // The parser recurses: its stack ends before any limit can be counted.
    if (error instanceof RangeError) return { errors: [new GraphQLError('the document is nested too deep')] };
    throw error;
  }
}

/** Fields of one name are compared pair by pair, and GraphQL.js gives up on too many without saying why. */
const explained = (error: GraphQLError): GraphQLError =>
  error.message === 'Validation aborted.' ? new GraphQLError('the document repeats a field too often') : error;
