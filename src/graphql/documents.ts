import { type DocumentNode, GraphQLError, parse, specifiedRules, validate } from 'graphql';
import { schema } from '../schema/index.ts';
import { brokenLimit } from './documentLimits.ts';

/** A document from outside: ready to run, or the mistakes in it. */
export type ReadDocument =
  | { document: DocumentNode; errors?: undefined }
  | { document?: undefined; errors: readonly GraphQLError[] };

const maxTokens = 100_000;
const maxErrors = 20;
const cachedDocuments = 500;
/** Longer ones are rare, and would fill the cache with text. */
const cachedLength = 20_000;

const cache = new Map<string, ReadDocument>();

/** Parses, bounds and validates a document. Callers send the same few again and again, so those are remembered. */
export function readDocument(source: string): ReadDocument {
  const known = cache.get(source);
  if (known) {
    // The map keeps the order of insertion: what was used last goes last.
    cache.delete(source);
    cache.set(source, known);
    return known;
  }
  const read = check(source);
  if (source.length <= cachedLength) remember(source, read);
  return read;
}

function remember(source: string, read: ReadDocument): void {
  cache.set(source, read);
  if (cache.size <= cachedDocuments) return;
  const [oldest] = cache.keys();
  if (oldest !== undefined) cache.delete(oldest);
}

function check(source: string): ReadDocument {
  try {
    const document = parse(source, { maxTokens });
    const limit = brokenLimit(document);
    if (limit) return { errors: [limit] };
    const errors = validate(schema, document, specifiedRules, { maxErrors });
    return errors.length > 0 ? { errors } : { document };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    // The parser recurses: its stack ends before any limit can be counted.
    if (error instanceof RangeError) return { errors: [new GraphQLError('the document is nested too deep')] };
    throw error;
  }
}
