import { nextFire } from '../cron/index.ts';
import type { Queryable } from '../db/index.ts';
import { findMissedSchedules } from './sql/findMissedSchedules.ts';
import { lockUnsettled } from './sql/lockUnsettled.ts';
import { moveMissedSchedules } from './sql/moveMissedSchedules.ts';
import { setRetirements } from './sql/setRetirements.ts';

/*
 * Owns: whether a workflow is retired (R3), and what follows from the change.
 * Does not own: which runners are live.
 *
 * T1. A workflow that a live runner serves is awake, unless it was retired by hand while served.
 * T2. An unserved workflow is retired when its runner drops it, or after a time. The time counts
 *     only while its app has a live runner.
 * T3. A choice by hand stands until the other choice by hand, or until a runner serves the workflow
 *     again.
 * T4. Each change is decided under the lock of the workflow's row.
 */

/** Whether and why a workflow is retired. */
export interface Retirement {
  retiredAt: Date | null;
  /** The name of the key that retired it by hand. */
  retiredBy: string | null;
  /** Since when it is unserved while its app has a live runner. */
  unservedAt: Date | null;
  /** Whether a choice by hand stands (T3). */
  heldByHand: boolean;
}

/** A workflow, under its lock. */
export interface LockedWorkflow extends Retirement {
  id: string;
  app: string;
  name: string;
}

/** The live runners of a workflow at an instant. */
export interface Service {
  /** Whether one serves the workflow. */
  isServed: boolean;
  /** Whether one of the app is live. */
  isManned: boolean;
  now: Date;
}

export const awake: Retirement = { retiredAt: null, retiredBy: null, unservedAt: null, heldByHand: false };

/** The change of a workflow by the live runners of its app (T1, T2); undefined if it stays. */
export function settled(
  { retiredAt, unservedAt, heldByHand }: Retirement,
  { isServed, isManned, now }: Service,
  retireMs: number,
): Retirement | undefined {
  if (retiredAt) return isServed && !heldByHand ? awake : undefined;
  if (isServed || (unservedAt && !isManned)) return unservedAt || heldByHand ? awake : undefined;
  if (heldByHand || !isManned) return undefined;
  // After a clock that ran ahead, the time counts anew.
  if (!unservedAt || unservedAt > now) return { ...awake, unservedAt: now };
  return now.getTime() - unservedAt.getTime() >= retireMs ? { ...awake, retiredAt: now } : undefined;
}

export interface RetirementChange {
  workflow: LockedWorkflow;
  next: Retirement;
}

/**
 * Stores changes of locked workflows. Schedules of a workflow that wakes go on from now: the
 * instants that it slept through do not fire. Returns whether any workflow fell asleep or woke.
 */
export async function putRetirements(tx: Queryable, changes: readonly RetirementChange[], now: Date): Promise<boolean> {
  if (changes.length === 0) return false;
  await setRetirements(tx, { changes: changes.map(({ workflow: { id }, next }) => ({ id, ...next })) });
  const woken = changes.filter(({ workflow, next }) => workflow.retiredAt && !next.retiredAt);
  if (woken.length > 0) await skipMissed(tx, { workflowIds: woken.map(({ workflow: { id } }) => id), now });
  return woken.length > 0 || changes.some(({ workflow, next }) => !workflow.retiredAt && next.retiredAt);
}

async function skipMissed(tx: Queryable, missed: { workflowIds: readonly string[]; now: Date }): Promise<void> {
  const schedules = (await findMissedSchedules(tx, missed)).flatMap(({ id, cron }) => {
    const nextFireAt = nextFireOf(cron, missed.now);
    return nextFireAt ? [{ id, nextFireAt }] : [];
  });
  if (schedules.length > 0) await moveMissedSchedules(tx, { schedules });
}

/** Undefined if this machine cannot read the schedule, which then stays as it is. */
function nextFireOf(cron: string, after: Date): Date | undefined {
  try {
    return nextFire(cron, after);
  } catch {
    return undefined;
  }
}

export interface Served {
  projectId: string;
  /** The workflows of live runners. */
  workflows: readonly { app: string; name: string }[];
  now: Date;
}

export interface ServedAgain {
  /** Whether any workflow woke. */
  hasWoken: boolean;
  /** Workflows that stay retired, by hand (T1). */
  asleep: readonly LockedWorkflow[];
}

/** Wakes the workflows that runners serve again. */
export async function wakeServed(tx: Queryable, { projectId, workflows, now }: Served): Promise<ServedAgain> {
  if (workflows.length === 0) return { hasWoken: false, asleep: [] };
  const locked = await lockUnsettled(tx, { projectId, workflows });
  const changes = locked.flatMap((workflow) => {
    const next = settled(workflow, { isServed: true, isManned: true, now }, 0);
    return next ? [{ workflow, next }] : [];
  });
  const asleep = locked.filter(({ retiredAt, heldByHand }) => retiredAt && heldByHand);
  return { hasWoken: await putRetirements(tx, changes, now), asleep };
}
