import { HoldfastError } from '../../errors.ts';
import type { Withheld } from '../../flow/index.ts';
import { buildRuns } from '../../ingest/index.ts';
import { RawJson } from '../../json/index.ts';
import type { Definition, ProjectSnapshot, ResolvedRetry } from '../../model/index.ts';
import { suspensionOf } from '../../projects/index.ts';
import { defaultRetry, retryDelayMs } from '../../registry/index.ts';
import { capableRunners, neverRegistered } from '../../runners/index.ts';
import { parseTags } from '../../runs/index.ts';
import type { StepRow } from '../commit.ts';
import type { Pass } from '../pass.ts';
import { type PlannedIntake, refusedStep, type SideEffect, type SideEffectSetting } from './sideEffect.ts';

type ChildRun = Extract<SideEffect, { kind: 'child' }>;

const noInput = RawJson.of({});

/**
 * Prepares a child run (2.4, 2.8), whose end the step awaits. A child that cannot be started fails
 * the step.
 */
export async function planChild(
  { ctx, snapshot, pass }: SideEffectSetting,
  step: StepRow,
  sideEffect: ChildRun,
): Promise<PlannedIntake | StepRow> {
  const definition = findChild(snapshot, pass.app, sideEffect);
  if (!definition)
    return refusedStep(
      step,
      `workflow ${sideEffect.name} is not registered${sideEffect.app ? ` in app ${sideEffect.app}` : ''}`,
    );
  const suspension = suspensionOf(snapshot);
  if (suspension) return refusedStep(step, suspension.message);
  const { app, name } = definition;
  if (sideEffect.runner !== undefined && capableRunners(snapshot, app, name, sideEffect.runner).length === 0)
    return refusedStep(step, neverRegistered(app, name, sideEffect.runner));
  const tags = mergedTags(pass, sideEffect);
  if (typeof tags === 'string') return refusedStep(step, tags);
  const [run] = await buildRuns(ctx, snapshot.projectId, [definition], {
    origin: 'call',
    triggerKind: 'event',
    eventName: definition.name,
    eventId: undefined,
    session: pass.input.session,
    runner: pinOf(pass, definition, sideEffect),
    depth: pass.depth + 1,
    tags: tags && JSON.stringify(tags),
    input: sideEffect.data ?? noInput,
    parent: { runId: pass.runId, step: step.name, attempt: step.attempt },
  });
  if (!run) throw new Error('no run was built');
  const intake = { projectId: snapshot.projectId, registryVersion: snapshot.version, event: undefined, runs: [run] };
  return {
    intake,
    settle: (admission) => {
      const withheld = admission.kind === 'created' ? admission.withheld[0]?.reason : 'deduped';
      if (withheld === undefined) return { ...step, childRunId: run.runId };
      return withheldStep(step, withheld, snapshot.workflow(pass.app, pass.workflow)?.retry ?? defaultRetry);
    },
  };
}

/**
 * 4.10 `childApp`: when omitted, the parent's own app comes first, then any other, by name. A
 * workflow that moved to another app is retired in the former one, so retired ones come last.
 */
function findChild(snapshot: ProjectSnapshot, parentApp: string, { name, app }: ChildRun): Definition | undefined {
  if (app !== undefined) return snapshot.workflow(app, name);
  const named = snapshot.workflowsNamed(name);
  const awake = named.filter(({ isRetired }) => !isRetired);
  const candidates = awake.length > 0 ? awake : named;
  return candidates.find((each) => each.app === parentApp) ?? candidates[0];
}

/** 4.10 routing: a pin is inherited within the app only. */
function pinOf(pass: Pass, { app }: Definition, { runner }: ChildRun): string | undefined {
  if (runner !== undefined) return runner;
  return app === pass.app && pass.runner !== '' ? pass.runner : undefined;
}

/** 2.8: the child's value wins. Returns an error text if both together exceed a limit. */
function mergedTags(pass: Pass, { tags }: ChildRun): Readonly<Record<string, string>> | undefined | string {
  try {
    return parseTags({ ...pass.input.tags, ...tags });
  } catch (error) {
    if (error instanceof HoldfastError) return error.message;
    throw error;
  }
}

/** The reason why a call starts no child. Calls are neither debounced nor batched. */
const refusals: Record<Withheld, string> = {
  skipped: 'the child run was not started: another run of its singleton is under way',
  dropped: 'the child run was not started: its rate limit is reached',
  deduped: 'the child run was not started: its idempotency key was seen before',
  debounced: 'the child run was not started: it was debounced',
  batched: 'the child run was not started: it was batched',
};

/**
 * A call whose child flow control withheld: one failed attempt of the step. The next attempt may
 * pass the `singleton` or the rate. An idempotency key stays with its run, so a duplicate fails the
 * step for good.
 */
function withheldStep(step: StepRow, withheld: Withheld, retry: ResolvedRetry): StepRow {
  const refused = refusedStep(step, refusals[withheld], 'FlowControlError');
  if (withheld === 'deduped' || step.attempt >= retry.maxAttempts) return refused;
  return { ...refused, willRetry: true, runAfter: { inMs: retryDelayMs(retry, step.attempt) } };
}
