import { drawConsequencesSoon, endRuns } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { RawJson } from '../json/index.ts';
import type { CancelRule, GuardEvent } from '../model/index.ts';
import type { Steps } from '../slices.ts';
import { logFault } from './guardFaults.ts';
import { cancellableInputs, findCancellable } from './sql/findCancellable.ts';

/** A recorded event that cancels runs. */
export interface Cancelling {
  projectId: string;
  event: GuardEvent;
  receivedAt: Date;
  /** The rules that name it; at least one. */
  rules: readonly CancelRule[];
}

type Found = Awaited<ReturnType<typeof findCancellable>>[number];

/** Ids and tags are small. A page of runs that end holds their locks until its commit. */
const findPage = 5_000;
const endPage = 500;
const maxInputBytes = 8 * 1024 * 1024;
const nowhere = '00000000-0000-0000-0000-000000000000';

/**
 * Cancels the unfinished runs that an event ends (`cancelOn`): those that began before it, and for
 * which a guard of their workflow holds. Idempotent: a repeated look-up finds only the runs that
 * are left. So any process may finish the work of another.
 */
export async function cancelRuns(ctx: EngineContext, { rules, ...cancelling }: Cancelling): Promise<void> {
  const byWorkflow = new Map<string, CancelRule[]>();
  for (const rule of rules) {
    const key = `${rule.app}\n${rule.workflow}`;
    byWorkflow.set(key, [...(byWorkflow.get(key) ?? []), rule]);
  }
  for (const same of byWorkflow.values()) await cancelSome(ctx, { ...cancelling, rules: same });
}

/** All rules are of one workflow. */
async function cancelSome(ctx: EngineContext, cancelling: Cancelling): Promise<void> {
  const { projectId, event, receivedAt, rules } = cancelling;
  const [rule] = rules;
  if (!rule) return;
  const { app, workflow } = rule;
  const question = { projectId, app, workflow, eventId: event.id, receivedAt, limit: findPage };
  for (let afterRunId = nowhere; ; ) {
    const found = await findCancellable(ctx.db, { ...question, afterRunId });
    const older = found.filter((run) => run.isOlder);
    for (let start = 0; start < older.length; ) {
      const page = older.slice(start, start + endPage);
      const judged = rules.some(({ guard }) => !guard)
        ? { count: page.length, runs: page }
        : await judge(ctx, cancelling, page);
      await end(ctx, cancelling, judged.runs);
      start += judged.count;
    }
    const last = found.at(-1);
    if (!last || found.length < findPage) return;
    afterRunId = last.runId;
  }
}

/** The runs for which a guard holds, among the first runs of a page whose inputs fit. */
async function judge(
  ctx: EngineContext,
  cancelling: Cancelling,
  page: readonly Found[],
): Promise<{ count: number; runs: Found[] }> {
  const inputs = await cancellableInputs(ctx.db, { runIds: page.map((run) => run.runId), maxBytes: maxInputBytes });
  const read = page.slice(0, inputs.length);
  const runs = await ctx.slices.run(cancelling.projectId, judging(ctx, cancelling, read, inputs));
  return { count: Math.max(1, inputs.length), runs };
}

type Input = Awaited<ReturnType<typeof cancellableInputs>>[number];

function* judging(
  ctx: EngineContext,
  { projectId, event, rules }: Cancelling,
  page: readonly Found[],
  inputs: readonly Input[],
): Steps<Found[]> {
  const byRun = new Map(inputs.map(({ id, input }) => [id, input]));
  const cancelled: Found[] = [];
  for (const found of page) {
    const input = byRun.get(found.runId);
    if (input === undefined) continue;
    yield;
    const { runId: id, tags, session } = found;
    const run = { id, input: RawJson.trusted(input).parse(), tags: tags ?? undefined, session: session ?? undefined };
    for (const { app, workflow, guard } of rules) {
      const onFault = (reason: string): void =>
        logFault(ctx, { projectId, app, workflow, guard: guard?.source ?? '', reason });
      if (!guard?.evaluate(event, onFault, run)) continue;
      cancelled.push(found);
      break;
    }
  }
  return cancelled;
}

async function end(ctx: EngineContext, { projectId, event }: Cancelling, runs: readonly Found[]): Promise<void> {
  if (runs.length === 0) return;
  const reason = `cancelled by event ${event.name} (${event.id})`;
  const error = JSON.stringify({ name: 'CancelledByEventError', message: reason });
  const ends = runs.map(({ runId }) => ({ runId, error }));
  const ended = await endRuns(ctx, { status: 'cancelled', ends, projectId, onlyStranded: false, reason });
  drawConsequencesSoon(
    ctx,
    ended.map((row) => row.runId),
  );
}
