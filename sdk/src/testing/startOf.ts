import { encodeJson } from '../json/encode.ts';
import { MisuseError } from '../misuse.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { isNamed, type SentMessage, starts } from './incoming.ts';
import type { RunStart } from './run.ts';
import type { World } from './world.ts';

type StartMessage = Partial<Omit<SentMessage, 'name'>> & { name?: string | undefined };

/** The options that say how a run starts, without the types of its workflow. */
interface Start extends Pick<SentMessage, 'tags' | 'session'> {
  input?: unknown;
  cron?: boolean | undefined;
  event?: StartMessage | undefined;
  events?: readonly StartMessage[] | undefined;
}

/** How a run begins, by the options of its test. Throws if nothing would start it so. */
export function startOf(
  workflow: AnyWorkflow,
  { event, events, input, cron, tags, session }: Start,
  world: World,
): RunStart {
  const given = Object.entries({ event, events, input, cron }).filter(([, value]) => value !== undefined);
  if (given.length > 1)
    throw new MisuseError(`a run starts by one of ${given.map(([name]) => name).join(' and ')}, not by all`);
  const ts = new Date(world.state.nowMs).toISOString();
  if (input !== undefined) {
    return { event: { name: workflow.name, data: encodeJson(input) ?? '{}', ts }, triggerKind: 'manual' };
  }
  if (cron === true) {
    const trigger = workflow.definition.triggers?.find((each) => 'cron' in each);
    if (trigger === undefined || !('cron' in trigger))
      throw new MisuseError(`workflow "${workflow.name}" has no schedule`);
    const data = JSON.stringify({ cron: trigger.cron, scheduledAt: ts });
    return { event: { name: workflow.name, data, ts }, triggerKind: 'cron' };
  }
  const all = (events ?? [event ?? {}]).map((each) => received(workflow, { ...each, tags, session }, world));
  const [first] = all;
  if (first === undefined) throw new MisuseError('events must hold an event');
  const batch =
    events === undefined ? undefined : all.map(({ data, ...each }) => ({ ...each, data: JSON.parse(data) as unknown }));
  return { event: first, triggerKind: 'event', events: batch };
}

/** The event as a handler receives it. Throws if it would not start the workflow. */
function received(
  workflow: AnyWorkflow,
  { name, data, headers, tags, session }: StartMessage,
  world: World,
): RunStart['event'] {
  const event = world.events.log({ name: name ?? firstEvent(workflow), data, headers, tags, session });
  if (!starts(workflow, event, world.guards)) {
    const why = isNamed(workflow, event.name) ? 'the guard of its trigger is false' : 'none of its triggers names it';
    throw new MisuseError(`event "${event.name}" does not start workflow "${workflow.name}": ${why}`);
  }
  const { id, ts, text } = event;
  return { id, name: event.name, data: text ?? '{}', ts, ...(headers !== undefined && { headers }) };
}

function firstEvent({ name, definition: { triggers } }: AnyWorkflow): string {
  if (triggers === undefined) return name;
  const trigger = triggers.find((each) => 'event' in each);
  if (trigger === undefined || !('event' in trigger))
    throw new MisuseError(`no event starts workflow "${name}": start it by cron or input`);
  if (trigger.event.endsWith('*'))
    throw new MisuseError(`the event needs a name that fits "${trigger.event}" of workflow "${name}"`);
  return trigger.event;
}
