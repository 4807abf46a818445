import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { IngestedEvent } from '../../engine/event-tail/index.ts';
import { stringifyRaw } from '../../engine/json/index.ts';
import { formatEvent } from '../../http/index.ts';
import { prepare, subscribeTo } from '../../schema/execute.ts';
import { createSchemaContext } from '../../schema/machinery/context.ts';
import { unwrap } from '../../schema/machinery/errors.ts';
import { present, shapeAt, valueAt } from '../declare/present.ts';
import type { KeyedCall, StreamRoute } from '../declare/route.ts';
import { shapeOf } from '../declare/shape.ts';

/** A message of a stream. */
export interface StreamMessage {
  text: string;
  /** The event that the message reports; undefined for other streams. */
  event: IngestedEvent | undefined;
}

/** The messages of a subscription. */
export interface StreamSource {
  next(): Promise<IteratorResult<StreamMessage, undefined>>;
  /** Ends the source, even while a `next` waits. */
  return(): Promise<void>;
}

/** Opens a source. Rejects if the subscription is refused. */
export type SourceOpener = (call: KeyedCall, variables: Record<string, unknown>) => Promise<StreamSource>;

/**
 * Prepares a route's subscription, and returns a function that opens it. Throws if the document
 * does not fit the schema.
 */
export function sourceOpener(schema: GraphQLSchema, route: StreamRoute): SourceOpener {
  const prepared = prepare(route.document);
  const toText = eventWriter(schema, route);
  return async ({ engine, principal }, variables) => {
    // Asking for the next event releases the memory of the previous one.
    const context = createSchemaContext({ engine, principal, via: 'rest' });
    const results = await subscribeTo(prepared, variables, context);
    return {
      async next() {
        const result = await results.next();
        if (result.done) return { done: true, value: undefined };
        return { done: false, value: { text: toText(result.value), event: context.lastEvent } };
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
