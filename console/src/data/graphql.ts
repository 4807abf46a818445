import type * as generated from './generated/gql.ts';
import type { TypedDocumentString } from './generated/graphql.ts';

/**
 * Marks a document of the API. `npm run codegen` makes the types of its variables and its answer.
 * At run time a document is its text, so no page carries the documents of others.
 */
export const graphql = ((source: string): unknown => source) as typeof generated.graphql;

/** A document with the types of its answer and its variables. */
export type Document<Answer, Variables> = TypedDocumentString<Answer, Variables>;
