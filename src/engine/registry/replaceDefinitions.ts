import type { Queryable } from '../db/statement.ts';
import { newId } from '../ids.ts';
import { nextFire } from './cron.ts';
import type { Definition } from './definition.ts';
import { findVersions } from './sql/findVersions.ts';
import { type PutSchedules, putSchedules } from './sql/putSchedules.ts';
import { type PutWorkflowRow, putWorkflows } from './sql/putWorkflows.ts';
import { rescaleBuckets } from './sql/rescaleBuckets.ts';

export interface ReplacedDefinitions {
  /** How many were new or changed. */
  count: number;
  /** When the earliest of their schedules fires. */
  nextFireInMs: number | undefined;
}

/**
 * Puts definitions into force where they differ from what is, each with its schedules: changed and removed ones take effect
 * at once, a schedule that stays keeps its next time, and a token bucket what was taken out of it. Of several with one name the
 * last counts.
 */
export async function replaceDefinitions(
  tx: Queryable,
  { projectId, definitions, now }: { projectId: string; definitions: readonly Definition[]; now: Date },
): Promise<ReplacedDefinitions> {
  const changed = await findChanged(tx, projectId, definitions);
  if (changed.length === 0) return { count: 0, nextFireInMs: undefined };
  const buckets = changed.flatMap(({ app, name, flowControl }) =>
    flowControl?.tokenThrottle ? [{ app, name, ...flowControl.tokenThrottle }] : [],
  );
  if (buckets.length > 0) await rescaleBuckets(tx, { projectId, changes: buckets, now });
  const workflows = await putWorkflows(tx, { projectId, definitions: changed, ids: changed.map(newId), now });
  const schedules = schedulesOf(changed, workflows, now);
  await putSchedules(tx, { workflowIds: workflows.map((each) => each.id), schedules });
  const next = Math.min(...schedules.map((each) => each.nextFireAt.getTime()));
  return { count: changed.length, nextFireInMs: schedules.length > 0 ? next - now.getTime() : undefined };
}

async function findChanged(
  tx: Queryable,
  projectId: string,
  definitions: readonly Definition[],
): Promise<Definition[]> {
  const last = new Map(definitions.map((each) => [keyOf(each), each]));
  const given = [...last.values()];
  if (given.length === 0) return [];
  const apps = given.map((each) => each.app);
  const names = given.map((each) => each.name);
  const known = await findVersions(tx, { projectId, apps, names });
  const versions = new Map(known.map((row) => [keyOf(row), row.version]));
  return given.filter((each) => versions.get(keyOf(each)) !== each.version);
}

function schedulesOf(
  definitions: readonly Definition[],
  workflows: readonly PutWorkflowRow[],
  now: Date,
): PutSchedules['schedules'] {
  const ids = new Map(workflows.map((row) => [keyOf(row), row.id]));
  return definitions.flatMap((definition) => {
    const workflowId = ids.get(keyOf(definition));
    if (workflowId === undefined) throw new Error('a workflow was not stored');
    const crons = new Set(definition.triggers?.flatMap((each) => ('cron' in each ? [each.cron] : [])));
    return [...crons].map((cron) => ({ id: newId(), workflowId, cron, nextFireAt: nextFire(cron, now) }));
  });
}

const keyOf = ({ app, name }: { app: string; name: string }): string => `${app}\n${name}`;
