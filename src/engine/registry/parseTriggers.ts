import { checkGuard } from '../cel/index.ts';
import { checkCron } from '../cron/index.ts';
import { HoldfastError } from '../errors.ts';
import type { EventTrigger, Trigger } from '../model/index.ts';
import type { EngineLimits } from '../settings.ts';
import type { Steps } from '../slices.ts';
import { type DefinitionRef, malformed, parseName } from './names.ts';

/**
 * Reads declared triggers (2.1): an event, which may end in `*` and have a CEL guard, or a cron
 * schedule. Undefined without triggers. Unknown members are refused.
 */
export function* parseTriggers(value: unknown, workflow: string, limits: EngineLimits): Steps<Trigger[] | undefined> {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw malformed({ workflow, field: 'triggers' }, 'must be an array');
  if (value.length > limits.triggersPerWorkflow) {
    throw malformed({ workflow, field: 'triggers' }, `must not be more than ${limits.triggersPerWorkflow}`);
  }
  const triggers: Trigger[] = [];
  for (const [index, each] of value.entries()) {
    yield;
    triggers.push(parseTrigger(each, { workflow, field: `triggers[${index}]` }, limits));
  }
  return triggers.length === 0 ? undefined : triggers;
}

/** Reads `cancelOn`: events that cancel runs. A guard may also read the `run`. */
export function* parseCancelOn(
  value: unknown,
  workflow: string,
  limits: EngineLimits,
): Steps<EventTrigger[] | undefined> {
  if (value === undefined || value === null) return undefined;
  const field = 'cancelOn';
  if (!Array.isArray(value)) throw malformed({ workflow, field }, 'must be an array');
  if (value.length > limits.triggersPerWorkflow) {
    throw malformed({ workflow, field }, `must not be more than ${limits.triggersPerWorkflow}`);
  }
  const events: EventTrigger[] = [];
  for (const [index, each] of value.entries()) {
    yield;
    events.push(parseCancelTrigger(each, { workflow, field: `${field}[${index}]` }, limits));
  }
  return events.length === 0 ? undefined : events;
}

function parseCancelTrigger(value: unknown, ref: DefinitionRef, limits: EngineLimits): EventTrigger {
  if (typeof value !== 'object' || value === null) throw malformed(ref, 'must be an object');
  const at = (field: string): DefinitionRef => ({ ...ref, field: `${ref.field}.${field}` });
  const unknown = Object.keys(value).find((member) => member !== 'event' && member !== 'if');
  if (unknown !== undefined) throw malformed(at(unknown), 'is unknown');
  const { event, if: guard } = value as Record<'event' | 'if', unknown>;
  return parseEventTrigger({ event, guard, withRun: true }, at, limits);
}

const members = new Set(['event', 'cron', 'if']);

function parseTrigger(value: unknown, ref: DefinitionRef, limits: EngineLimits): Trigger {
  if (typeof value !== 'object' || value === null) throw malformed(ref, 'must be an object');
  const at = (field: string): DefinitionRef => ({ ...ref, field: `${ref.field}.${field}` });
  // A misspelt guard must not be ignored, or every event of that name would start the workflow.
  const unknown = Object.keys(value).find((field) => !members.has(field));
  if (unknown !== undefined) throw malformed(at(unknown), 'is unknown');
  const { event, cron, if: guard } = value as Record<'event' | 'cron' | 'if', unknown>;
  if (isSet(event) === isSet(cron)) throw malformed(ref, 'must set exactly one of event and cron');
  if (!isSet(cron)) return parseEventTrigger({ event, guard, withRun: false }, at, limits);
  if (isSet(guard)) throw malformed(at('if'), 'is for events only');
  return { cron: parseCron(cron, at('cron')) };
}

interface Unparsed {
  event: unknown;
  guard: unknown;
  /** Whether the guard may read the `run`. */
  withRun: boolean;
}

function parseEventTrigger(
  { event, guard, withRun }: Unparsed,
  at: (field: string) => DefinitionRef,
  limits: EngineLimits,
): EventTrigger {
  const name = parseName(event, at('event'));
  if (name.slice(0, -1).includes('*')) throw malformed(at('event'), 'may have a * at its end only');
  if (!isSet(guard)) return { event: name };
  if (typeof guard !== 'string') throw malformed(at('if'), 'must be a string');
  try {
    checkGuard(guard, limits, { withRun });
  } catch (error) {
    throw malformed(
      at('if'),
      `is refused: ${error instanceof HoldfastError ? error.message : 'CEL cannot be compiled'}`,
    );
  }
  return { event: name, if: guard };
}

function parseCron(cron: unknown, ref: DefinitionRef): string {
  if (typeof cron !== 'string') throw malformed(ref, 'must be a string');
  try {
    checkCron(cron);
  } catch (error) {
    throw malformed(ref, error instanceof Error ? error.message : 'is malformed');
  }
  return cron;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
