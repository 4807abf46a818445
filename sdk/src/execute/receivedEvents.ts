import { EventSchemaError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { InvokeRequest, WireEvent } from '../protocol.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { startData } from '../workflowInput.ts';

interface Received {
  readonly event: never;
  readonly events: readonly never[];
}

/**
 * The events of a request as the handler receives them: what the schemas of the triggers make of
 * their data. Throws an `EventSchemaError` for data that does not fit.
 */
export function receivedEvents(workflow: AnyWorkflow, { event, events, ctx }: InvokeRequest): Received {
  if (ctx.onFailure === true) return declared([{ ...event, data: failureData(workflow, event.data) }]);
  // A schedule brings data of its own, whatever the other triggers are.
  if (ctx.triggerKind === 'cron') return declared([event]);
  if (events === undefined) return declared([parsed(workflow, event, 'data')]);
  return declared(events.map((each, index) => parsed(workflow, each, `events[${index}].data`)));
}

function declared(events: readonly WireEvent[]): Received {
  return { event: asDeclared(events[0]), events: asDeclared(events) };
}

function parsed(workflow: AnyWorkflow, event: WireEvent, at: string): WireEvent {
  const data = startData(workflow, event, at);
  return data === event.data ? event : { ...event, data };
}

/** A failure handler must run even if the run failed because its event did not fit. */
function failureData(workflow: AnyWorkflow, data: unknown): unknown {
  const failure = asDeclared<{ event?: WireEvent } | null | undefined>(data);
  if (failure?.event === undefined) return data;
  try {
    return { ...failure, event: parsed(workflow, failure.event, 'data') };
  } catch (error) {
    if (error instanceof EventSchemaError) return data;
    throw error;
  }
}
