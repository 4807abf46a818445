import type { GraphQLSchema } from 'graphql';
import type { EngineContext } from '../../engine/context.ts';
import type { KeyTurn, Principal } from '../../engine/keys/index.ts';
import type { CallOrigin } from '../../engine/origin.ts';
import { prepare, run } from '../../schema/execute.ts';
import { createSchemaContext, type Via } from '../../schema/machinery/context.ts';
import { present, shapeAt, shapeBeside, valueAt } from '../declare/present.ts';
import type { DocumentSuccess } from '../declare/route.ts';
import { type Shape, shapeOf, variableConverter } from '../declare/shape.ts';

/** The part of a route that reads a body. */
export interface BodySource {
  document: string;
  success: Pick<DocumentSuccess, 'at' | 'beside'>;
}

/** Who wants a body: the surface of the call, and the end of the caller's wait. */
export interface Wanting {
  engine: EngineContext;
  principal: Principal;
  turn?: KeyTurn | undefined;
  via: Via;
  /** The agent that calls. */
  origin?: CallOrigin | undefined;
  /**
   * Calls `release` when the answer has been sent or the caller has gone. Returns a function that
   * cancels the call.
   */
  whenGone(release: () => void): () => void;
}

export interface Found {
  data: Record<string, unknown> | undefined;
  /** The value at the route's path in its REST form; undefined if there is none. */
  body: unknown;
  /**
   * Releases the memory of the answer. Called by itself when the answer has been sent, or the
   * caller has gone.
   */
  release(): void;
}

export type BodyFinder = (variables: Record<string, unknown>, wanting: Wanting) => Promise<Found>;

/**
 * Prepares a document, and returns a function that executes it. Throws if the document does not fit
 * the schema. The function throws the failure for the caller or the log.
 */
export function bodyFinder(schema: GraphQLSchema, { document, success: { at, beside = {} } }: BodySource): BodyFinder {
  const prepared = prepare(document);
  const whole: Shape = shapeOf(schema, document);
  const shape: Shape = shapeAt(whole, at);
  const further = shapeBeside(whole, beside);
  const hasFurther = further.members.length > 0;
  const bodyOf = (data: Record<string, unknown> | undefined): unknown => {
    const body = present(shape, valueAt(data, at));
    if (!hasFurther || typeof body !== 'object') return body;
    const values = Object.fromEntries(Object.entries(beside).map(([key, path]) => [key, valueAt(data, path)]));
    return { ...body, ...Object(present(further, values)) };
  };
  const toVariables = variableConverter(schema, document);
  return async (variables, { engine, principal, turn, via, origin, whenGone }) => {
    const context = createSchemaContext({ engine, principal, turn, via, origin });
    const forget = whenGone(() => context.release());
    const { data, error } = await run(prepared, toVariables(variables), context);
    const release = (): void => {
      forget();
      context.release();
    };
    if (error === undefined) return { data, body: bodyOf(data), release };
    release();
    throw error;
  };
}

/** The end cursor of a keyset page, if more rows follow (4.4). */
export function endOfPage(page: unknown): string | undefined {
  const end = valueAt(page, ['endCursor']);
  return valueAt(page, ['hasNextPage']) === true && typeof end === 'string' ? end : undefined;
}
