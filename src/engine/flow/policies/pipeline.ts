import type {
  AdmissionTransaction,
  Ask,
  Candidate,
  PolicyName,
  RecordedStart,
  RecordingTransaction,
  Seen,
  Stage,
  StartCandidate,
} from '../index.ts';
import { policyNames, policyOf } from './policies.ts';

/*
 * Every start passes the stages in the order in which `SeenBy` lists them, and within a stage the
 * gates in the order of the policies. docs/guides/flow-control.md gives the reasons.
 *
 * The rest of a start's way has no gates: `priority` shifts its position in the queue,
 * `concurrency` and the project's ceiling decide when it executes, `cap` limits what it spends.
 */

/** Takes starts through all gates. */
export async function passAll(admission: AdmissionTransaction, candidates: readonly Candidate[]): Promise<void> {
  await pass('dedupe', admission, candidates);
  await pass('skip', admission, candidates);
  await pass('shed', admission, candidates);
  await pass('debounce', admission, candidates);
  await passFromBuffer(admission, candidates);
  await pass('giveBack', admission, candidates);
}

/** Takes starts through the gates after `debounce`: they leave a buffer. */
export async function passFromBuffer(admission: AdmissionTransaction, candidates: readonly Candidate[]): Promise<void> {
  await pass('gather', admission, candidates);
  await passStart(admission, candidates);
}

/** Takes starts and forks through the gates of the start. */
export async function passStart(admission: AdmissionTransaction, candidates: readonly StartCandidate[]): Promise<void> {
  await pass('occupy', admission, candidates);
  await pass('delay', admission, candidates);
  announceStartTimes(admission, candidates);
}

/** Has timers look in time for the first of the delayed starts, after the commit. */
function announceStartTimes({ ctx, tx }: AdmissionTransaction, candidates: readonly StartCandidate[]): void {
  const times = candidates.flatMap(({ startAt, withheld }) =>
    startAt && withheld === undefined ? startAt.getTime() : [],
  );
  if (times.length === 0) return;
  const first = times.reduce((one, other) => Math.min(one, other));
  tx.afterCommit(() => ctx.bus.emit('work.due', { inMs: Math.max(0, first - ctx.clock.now().getTime()) }));
}

/** Has policies see the runs that are recorded, in the transaction that records them. */
export async function passRecorded(recording: RecordingTransaction, starts: readonly RecordedStart[]): Promise<void> {
  for (const name of policyNames) {
    const runs = starts.flatMap(({ run, gates, withheld }) => (gates[name] && withheld === undefined ? [run] : []));
    if (runs.length > 0) await policyOf(name).recorded?.(recording, runs);
  }
}

async function pass<S extends Stage>(
  stage: S,
  admission: AdmissionTransaction,
  candidates: readonly Seen<S>[],
): Promise<void> {
  for (const name of policyNames)
    if (policyOf(name).gates?.[stage]) await passGate(name, stage, { admission, candidates });
}

async function passGate<Name extends PolicyName, S extends Stage>(
  name: Name,
  stage: S,
  { admission, candidates }: { admission: AdmissionTransaction; candidates: readonly Seen<S>[] },
): Promise<void> {
  const gate = policyOf(name).gates?.[stage];
  if (!gate) return;
  const asks = candidates.flatMap((candidate): Ask<Name, Seen<S>>[] => {
    const isAsking = (candidate.withheld === undefined) === (stage !== 'giveBack');
    const policy = isAsking ? candidate.gates[name] : undefined;
    return policy ? [{ candidate, policy }] : [];
  });
  if (asks.length > 0) await gate(admission, asks);
}
