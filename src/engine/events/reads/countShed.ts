import type { EngineContext } from '../../context.ts';
import { lowestIdAt } from '../../ids.ts';
import { longRead } from '../../longRead.ts';
import { Conditions } from '../../paging/index.ts';
import { clockToleranceMs } from './listEvents.ts';

/** The starts of a workflow that its gates withheld, by gate. */
export interface ShedCounts {
  app: string;
  workflow: string;
  /** Events that matched a trigger of the workflow. */
  matched: number;
  deduped: number;
  dropped: number;
  skipped: number;
  debounced: number;
  batched: number;
}

export interface ShedQuestion {
  projectId: string;
  since: Date;
  app?: string | null | undefined;
  workflow?: string | null | undefined;
}

/** Events that are examined, from the newest one. */
export const maxShedEvents = 100_000;
const maxWorkflows = 1000;
const gates = ['deduped', 'dropped', 'skipped', 'debounced', 'batched'] as const;

/**
 * Counts what the gates did with the events of a window, as the event log says. Workflows without a
 * withheld start are left out.
 */
export async function countShed(
  ctx: EngineContext,
  { projectId, since, app, workflow }: ShedQuestion,
): Promise<ShedCounts[]> {
  const where = new Conditions();
  const events = [
    `project_id = ${where.parameter(projectId)}::uuid`,
    `id >= ${where.parameter(lowestIdAt(new Date(since.getTime() - clockToleranceMs)))}::uuid`,
    `received_at >= ${where.parameter(since)}::timestamptz`,
  ];
  where.add('true');
  where.equal('start.app', app);
  where.equal('start.workflow', workflow);
  if (where.impossible) return [];
  const text = `
    with seen as materialized (
      select triggered from event where ${events.join(' and ')} order by id desc limit ${maxShedEvents}
    )
    select start.app, start.workflow, count(*)::int as matched,
      ${gates.map((gate) => `(count(*) filter (where start.${gate}))::int as ${gate}`).join(', ')}
    from seen cross join lateral json_to_recordset(seen.triggered)
      as start (app text, workflow text, ${gates.map((gate) => `${gate} boolean`).join(', ')})
    where ${where.text}
    group by start.app, start.workflow
    having bool_or(${gates.map((gate) => `coalesce(start.${gate}, false)`).join(' or ')})
    order by matched desc, start.app, start.workflow limit ${maxWorkflows}`;
  return longRead<ShedCounts>(ctx, { text, values: where.values });
}
