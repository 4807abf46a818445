import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { stringifyRaw } from '../../engine/json/index.ts';
import { prepare, subscribeTo } from '../../schema/execute.ts';
import { createSchemaContext } from '../../schema/machinery/context.ts';
import { unwrap } from '../../schema/machinery/errors.ts';
import { present, shapeAt, valueAt } from '../declare/present.ts';
import type { KeyedCall, StreamRoute } from '../declare/route.ts';
import { shapeOf } from '../declare/shape.ts';
import { formatEvent } from './sse.ts';

/** Events of a subscription, each as the text that a stream sends. */
export interface StreamSource {
  next(): Promise<IteratorResult<string, undefined>>;
  /** Ends it, also while a `next` waits. */
  return(): Promise<void>;
}

/** Opens a source; rejects where the subscription is refused. */
export type SourceOpener = (call: KeyedCall, variables: Record<string, unknown>) => Promise<StreamSource>;

/**
 * Reads a route's subscription once; what it returns opens it. Throws on a document that does not
 * fit the schema.
 */
export function sourceOpener(schema: GraphQLSchema, route: StreamRoute): SourceOpener {
  const prepared = prepare(route.document);
  const toText = eventWriter(schema, route);
  return async ({ engine, principal }, variables) => {
    // Whoever asks for the next event gives back what the one before held.
    const context = createSchemaContext({ engine, principal, via: 'rest' });
    const results = await subscribeTo(prepared, variables, context);
    return {
      async next() {
        const result = await results.next();
        return result.done ? { done: true, value: undefined } : { done: false, value: toText(result.value) };
      },
      async return() {
        context.release();
        await results.return?.();
      },
    };
  };
}

function eventWriter(schema: GraphQLSchema, route: StreamRoute): (result: ExecutionResult) => string {
  const shape = shapeAt(shapeOf(schema, route.document), [route.at]);
  const { event, id, constant } = route;
  return ({ data, errors }) => {
    const [error] = errors ?? [];
    if (error) throw unwrap(error).cause;
    const body = present(shape, valueAt(data, [route.at]));
    return formatEvent({
      event: 'word' in event ? event.word : String(valueAt(body, [event.member])),
      id: id === undefined ? undefined : String(valueAt(body, [id])),
      data: stringifyRaw(constant && typeof body === 'object' ? { ...constant, ...body } : body),
    });
  };
}
