import type { FlowControl } from '@holdfast/sdk/protocol';
import { nextFire } from '../cron/index.ts';
import type { Queryable } from '../db/index.ts';
import { carryOver, type PolicyChange } from '../flow/policies/index.ts';
import { newId } from '../ids.ts';
import type { Definition } from '../model/index.ts';
import { cronsOf, type NextFires } from './nextFires.ts';
import { findVersions, type VersionRow } from './sql/findVersions.ts';
import { putSchedules, type Schedule } from './sql/putSchedules.ts';
import { type PutWorkflowRow, putWorkflows } from './sql/putWorkflows.ts';

export interface Replacement {
  projectId: string;
  definitions: readonly Definition[];
  now: Date;
  nextFires: NextFires;
}

export interface ReplacedDefinitions {
  /** The number of new and changed definitions. */
  count: number;
  /** When the earliest of their schedules fires, or a delayed start may begin. */
  nextDueInMs: number | undefined;
}

/**
 * Puts new and changed definitions into force, with their schedules. Changed and removed schedules
 * take effect at once, and unchanged ones keep their next time. Policies also apply to waiting
 * starts. If a name occurs twice, the last definition counts.
 */
export async function replaceDefinitions(
  tx: Queryable,
  { projectId, definitions, now, nextFires }: Replacement,
): Promise<ReplacedDefinitions> {
  const changed = await findChanged(tx, projectId, definitions);
  if (changed.length === 0) return { count: 0, nextDueInMs: undefined };
  const definitionsNow = changed.map((each) => each.definition);
  const registered = definitionsNow.map((definition) => ({ id: newId(), definition }));
  const workflows = await putWorkflows(tx, { projectId, registered, at: now });
  const schedules = schedulesOf(definitionsNow, workflows, (cron) => nextFires.get(cron) ?? nextFire(cron, now));
  await putSchedules(tx, { workflowIds: workflows.map((each) => each.id), schedules });
  const hasRetimed = await carryOver(tx, { projectId, changes: changed.flatMap(policyChange), now });
  const next = Math.min(...schedules.map((each) => each.nextFireAt.getTime() - now.getTime()));
  return { count: changed.length, nextDueInMs: hasRetimed ? 0 : schedules.length > 0 ? next : undefined };
}

/** The definitions whose workflow is not registered at all. */
export async function unregistered(
  tx: Queryable,
  { projectId, definitions }: { projectId: string; definitions: readonly Definition[] },
): Promise<Definition[]> {
  const inForce = await versionsOf(tx, projectId, definitions);
  return definitions.filter((each) => !inForce.has(keyOf(each)));
}

interface Changed {
  definition: Definition;
  /** The former policies; undefined if there were none. */
  former: FlowControl | undefined;
}

const policyChange = ({ definition: { app, name, flowControl }, former }: Changed): PolicyChange[] =>
  former ? [{ app, name, former, current: flowControl ?? {} }] : [];

async function findChanged(tx: Queryable, projectId: string, definitions: readonly Definition[]): Promise<Changed[]> {
  const last = new Map(definitions.map((each) => [keyOf(each), each]));
  const given = [...last.values()];
  const inForce = await versionsOf(tx, projectId, given);
  return given.flatMap((definition) => {
    const { version, flowControl } = inForce.get(keyOf(definition)) ?? {};
    if (version === definition.version) return [];
    return [{ definition, former: flowControl ? (JSON.parse(flowControl) as FlowControl) : undefined }];
  });
}

async function versionsOf(
  tx: Queryable,
  projectId: string,
  definitions: readonly Definition[],
): Promise<Map<string, VersionRow>> {
  if (definitions.length === 0) return new Map();
  const rows = await findVersions(tx, { projectId, workflows: definitions });
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function schedulesOf(
  definitions: readonly Definition[],
  workflows: readonly PutWorkflowRow[],
  nextFireOf: (cron: string) => Date,
): Schedule[] {
  const ids = new Map(workflows.map((row) => [keyOf(row), row.id]));
  return definitions.flatMap((definition) => {
    const workflowId = ids.get(keyOf(definition));
    if (workflowId === undefined) throw new Error('a workflow was not stored');
    const crons = [...new Set(cronsOf(definition))];
    return crons.map((cron) => ({ id: newId(), workflowId, cron, nextFireAt: nextFireOf(cron) }));
  });
}

const keyOf = ({ app, name }: { app: string; name: string }): string => `${app}\n${name}`;
