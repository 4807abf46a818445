import { EventSchemaError } from './errors.ts';
import { parsedData } from './eventSchema.ts';
import type { EventType } from './eventType.ts';
import type { AnyWorkflow } from './workflow.ts';

/** The schemas that check what starts a workflow. */
type Checked = Pick<AnyWorkflow, 'name' | 'eventTypes' | 'isTyped'>;

/**
 * The data that starts a run, as the schemas of its workflow's triggers read it. An event of a
 * trigger must fit the schema of that trigger. Any other data, such as that of a manual start, must
 * fit one of the schemas, unless a trigger has none. Throws an `EventSchemaError`.
 */
export function startData(workflow: Checked, event: { name: string; data?: unknown }, at = 'data'): unknown {
  const own = workflow.eventTypes.filter(({ name }) => matches(name, event.name));
  if (own.length > 0) return firstFitting(own, event, at);
  return workflow.isTyped ? firstFitting(workflow.eventTypes, event, at) : event.data;
}

/** Throws an `EventSchemaError` unless data may start a run of a workflow by hand or as a child. */
export function checkInput(workflow: object & { name: string }, data: unknown, at: string): void {
  // The service takes an absent input for an empty object.
  if (hasEventTypes(workflow)) startData(workflow, { name: workflow.name, data: data ?? {} }, at);
}

const hasEventTypes = (workflow: object & { name: string }): workflow is Checked =>
  'eventTypes' in workflow && 'isTyped' in workflow;

function firstFitting(types: readonly EventType[], { name, data }: { name: string; data?: unknown }, at: string) {
  let misfit: EventSchemaError | undefined;
  for (const type of types) {
    if (type.schema === undefined) return data;
    try {
      return parsedData(type.schema, name, data, at);
    } catch (error) {
      if (!(error instanceof EventSchemaError)) throw error;
      // With several schemas, the first one explains itself.
      misfit ??= error;
    }
  }
  throw misfit;
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
