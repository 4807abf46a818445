import type { DocumentNode, ExecutionArgs } from 'graphql';
import { stringifyRaw } from '../engine/json/index.ts';
import type { Principal } from '../engine/keys/index.ts';

/** Longer variables are not compared, so their subscriptions share nothing. */
const maxSharedVariables = 1_000;

/** The key of a subscription: equal ones of one caller share their answers. */
export function shareKeyOf(args: ExecutionArgs, principal: Principal): string | undefined {
  const variables = stringifyRaw(args.variableValues ?? {});
  if (variables.length > maxSharedVariables) return undefined;
  return JSON.stringify([documentNo(args.document), args.operationName, variables, principal]);
}

const documentNumbers = new WeakMap<DocumentNode, number>();
let lastDocument = 0;

/** Equal texts have the same document, as long as it is remembered. */
function documentNo(document: DocumentNode): number {
  const known = documentNumbers.get(document);
  if (known !== undefined) return known;
  lastDocument += 1;
  documentNumbers.set(document, lastDocument);
  return lastDocument;
}
