import { type BudgetCheck, checkBudgets } from '../../../src/engine/flow/policies/index.ts';
import { agree } from '../kit/agree.ts';
import type { Program } from '../program/program.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

const budgeted = ({ scene }: World): Program[] => [...scene.programs.values()].filter(({ flow }) => flow?.budget);

/** A check of all budgets. */
export async function look(world: World, process: Process): Promise<void> {
  const check = await process.attempt(() => checkBudgets(process.engine));
  if (check) note(world, check);
}

function note({ scene: { coverage } }: World, { paused, resumed }: BudgetCheck): void {
  if (paused > 0) coverage.count('budget', 'paused');
  if (resumed > 0) coverage.count('budget', 'resumed');
}

/**
 * A check without concurrent moves. Then all unfinished runs of a workflow with a spent budget are
 * paused, and no run by another budget (I12).
 */
export async function lookAlone(world: World, healer: Process): Promise<void> {
  if (budgeted(world).length === 0) return;
  await world.quiet();
  const before = await spendsOf(world);
  for (let again = true; again; ) {
    const check = await checkBudgets(healer.engine);
    note(world, check);
    again = check.again;
  }
  const after = await spendsOf(world);
  for (const [workflow, { unpaused, held, tokens, max }] of after) {
    const former = before.get(workflow)?.tokens ?? 0;
    if (tokens >= max)
      agree(`runs of ${workflow} that go on although ${tokens} of ${max} tokens are spent`, unpaused, 0);
    if (former < max) agree(`runs of ${workflow} that are held although ${former} of ${max} tokens are spent`, held, 0);
  }
}

interface Spending {
  /** Within the present window. */
  tokens: number;
  max: number;
  /** Unfinished runs that are not paused. */
  unpaused: number;
  /** Unfinished runs that the budget paused. */
  held: number;
}

async function spendsOf(world: World): Promise<Map<string, Spending>> {
  const { db, projectId } = world.scene;
  const programs = budgeted(world);
  const { rows } = await db.query<Omit<Spending, 'max'> & { workflow: string }>({
    name: 'spendsOfWorkflows',
    text: `
      select b.workflow,
        (select coalesce(sum(tokens_in + tokens_out), 0)::float8 from ai_usage u where u.project_id = $1
          and u.workflow = b.workflow and u.created_at > now() - b.window_ms * interval '1 ms') as tokens,
        (select count(*)::int from run r where r.project_id = $1 and r.workflow = b.workflow and r.ended_at is null
          and r.paused_reason is null) as unpaused,
        (select count(*)::int from run r where r.project_id = $1 and r.workflow = b.workflow and r.ended_at is null
          and r.paused_reason = 'budget') as held
      from unnest($2::text[], $3::float8[]) as b(workflow, window_ms)`,
    values: [projectId, programs.map(({ name }) => name), programs.map(({ flow }) => flow?.budget?.windowMs)],
  });
  return new Map(
    rows.map(({ workflow, ...each }) => {
      const max = world.scene.programs.get(workflow)?.flow?.budget?.maxTokens ?? Number.POSITIVE_INFINITY;
      return [workflow, { ...each, max }];
    }),
  );
}

/** Advances time until former spends no longer count. */
export async function relieve(world: World, healer: Process): Promise<void> {
  const windows = budgeted(world).map(({ flow }) => flow?.budget?.windowMs ?? 0);
  if (windows.length === 0) return;
  await world.advance(Math.max(...windows) + 1);
  await lookAlone(world, healer);
}
