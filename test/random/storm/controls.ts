import { decideApproval } from '../../../src/engine/approvals/index.ts';
import { cancelRun, pauseRun, replayRun, resumeRun, retryRunFromStep } from '../../../src/engine/control/index.ts';
import { HoldfastError } from '../../../src/engine/errors.ts';
import type { Process, Scene } from './process.ts';
import type { World } from './world.ts';

/** A late or repeated request is refused, which is a valid answer. */
export async function tolerateRefusal<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}

const callOf = ({ scene }: World, runId: string) => ({ projectId: scene.projectId, runId, actor: 'test' });

export async function cancel(world: World, { engine }: Process, runId: string): Promise<void> {
  world.scene.ledger.cancelled.add(runId);
  await tolerateRefusal(cancelRun(engine, callOf(world, runId)));
}

export async function pause(world: World, { engine }: Process, runId: string): Promise<void> {
  await world.scene.ledger.hands.pause(runId, () => tolerateRefusal(pauseRun(engine, callOf(world, runId))));
}

export async function resume(world: World, { engine }: Process, runId: string): Promise<void> {
  await world.scene.ledger.hands.resume(runId, () => tolerateRefusal(resumeRun(engine, callOf(world, runId))));
}

export async function fork(world: World, { engine }: Process, runId: string): Promise<void> {
  await tolerateRefusal(replayRun(engine, callOf(world, runId)));
}

export async function retryFromStep(world: World, { engine }: Process, runId: string, step: string): Promise<void> {
  await tolerateRefusal(retryRunFromStep(engine, { ...callOf(world, runId), step }));
}

interface Decision {
  approvalId: string;
  /** Even: approved; odd: denied. */
  pick: number;
  decidedBy: string;
}

/** Decides an approval. The ledger records accepted decisions. */
export async function decide(
  { projectId, ledger }: Scene,
  { engine }: Process,
  { approvalId, pick, decidedBy }: Decision,
): Promise<void> {
  const status = pick % 2 === 0 ? 'approved' : 'denied';
  const decider = { decidedBy, decidedVia: 'api' } as const;
  const call = { projectId, approvalId, status, args: undefined, decider, actor: 'test' } as const;
  const isAccepted = await tolerateRefusal(decideApproval(engine, call).then(() => true));
  if (isAccepted) ledger.accept(approvalId, { status, decidedBy });
}
