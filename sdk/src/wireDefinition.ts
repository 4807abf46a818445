import { cronFields, eventFields, eventTypeFields, refuseUnknownOptions } from './definitionFields.ts';
import { limitMs } from './duration.ts';
import { type EventType, eventName } from './eventType.ts';
import { checkKeyPaths } from './keyPaths.ts';
import { refuseUnknown } from './knownFields.ts';
import { checkFields, checkText, described, MisuseError } from './misuse.ts';
import type { WireCancel, WireTrigger, WireWorkflow } from './protocol.ts';
import type { CancelTrigger, Trigger } from './trigger.ts';
import type { WorkflowName, WorkflowOptions } from './workflow.ts';

interface Definition extends Omit<WorkflowOptions, 'onFailure'> {
  // The type of its argument is of no interest here.
  onFailure?: ((context: never) => unknown) | undefined;
}

/**
 * The definition that is registered with the service. Throws a `TypeError` that names the first
 * unknown field, because a misspelt policy or guard would silently have no effect.
 */
export function wireDefinition(name: string, options: WorkflowName & Definition): WireWorkflow {
  refuseUnknownOptions(name, options);
  const { id: _id, name: _name, triggers, retry, steps, onFailure, stepTimeout: _timeout, ...rest } = options;
  const { maxDuration, cancelOn, ...flowControl } = rest;
  checkKeyPaths(name, flowControl);
  return {
    name,
    ...flowControl,
    ...(triggers !== undefined && { triggers: wireTriggers(name, triggers) }),
    ...(retry !== undefined && { retry }),
    ...(steps !== undefined && { steps: steps.map((step) => (typeof step === 'string' ? { name: step } : step)) }),
    ...(onFailure !== undefined && { onFailure: true }),
    ...(maxDuration !== undefined && { maxDuration: limitMs(maxDuration, `the maxDuration of workflow "${name}"`) }),
    ...(cancelOn !== undefined && { cancelOn: wireCancels(name, cancelOn) }),
  };
}

/** The event types of triggers, and whether each of the triggers has a schema. */
export function eventTypesOf(triggers: readonly Trigger[]): { eventTypes: readonly EventType[]; isTyped: boolean } {
  const events = triggers.map((trigger) => ('cron' in trigger ? undefined : eventOf(trigger)));
  const eventTypes = events.filter((event) => typeof event === 'object');
  const isTyped = triggers.length > 0 && eventTypes.filter(({ schema }) => schema).length === triggers.length;
  return { eventTypes, isTyped };
}

const eventOf = (trigger: CancelTrigger): EventType | string => ('event' in trigger ? trigger.event : trigger);

function wireTriggers(workflow: string, triggers: readonly Trigger[]): WireTrigger[] {
  if (!Array.isArray(triggers))
    throw new MisuseError(`the triggers of workflow "${workflow}" must be a list; it is ${described(triggers)}`);
  return triggers.map((trigger, index) => wireTrigger(trigger, `triggers[${index}] of workflow "${workflow}"`));
}

function wireTrigger(trigger: Trigger, field: string): WireTrigger {
  checkFields(trigger, `${field} must be an event type, { event: 'order.paid' } or { cron: '0 8 * * *' }`);
  if (!('cron' in trigger)) return wireEvent(trigger, field, { ...eventFields, ...cronFields });
  refuseUnknown(trigger, cronFields, field);
  checkText(trigger.cron, `the cron of ${field}`);
  return { cron: trigger.cron };
}

function wireEvent(trigger: CancelTrigger, field: string, known: Readonly<Record<string, true>>): WireCancel {
  refuseUnknown(trigger, 'name' in trigger && !('event' in trigger) ? eventTypeFields : known, field);
  if (!('event' in trigger)) return { event: eventName(trigger, field) };
  return { event: eventName(trigger.event, field), ...(trigger.if !== undefined && { if: trigger.if }) };
}

function wireCancels(workflow: string, triggers: readonly CancelTrigger[]): WireCancel[] {
  const list = `cancelOn of workflow "${workflow}"`;
  if (!Array.isArray(triggers)) throw new MisuseError(`${list} must be a list; it is ${described(triggers)}`);
  return triggers.map((trigger: CancelTrigger, index) => {
    const field = `cancelOn[${index}] of workflow "${workflow}"`;
    checkFields(trigger, `${field} must be an event type or { event: 'order.cancelled' }`);
    return wireEvent(trigger, field, eventFields);
  });
}
