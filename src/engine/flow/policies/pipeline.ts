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
 * Every start passes the stages in the order of `SeenBy`. Within a stage, gates run in the order of
 * the policies. docs/guides/flow-control.md gives the reasons.
 *
 * Three policies have no gates. `priority` shifts the queue position, `concurrency` and the
 * project's ceiling decide when a run executes, and `cap` limits its spend.
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

/** Takes starts that leave a buffer through the gates after `debounce`. */
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

/** Wakes the timers in time for the first delayed start, after the commit. */
function announceStartTimes({ ctx, tx }: AdmissionTransaction, candidates: readonly StartCandidate[]): void {
  const times = candidates.flatMap(({ startAt, withheld }) =>
    startAt && withheld === undefined ? startAt.getTime() : [],
  );
  if (times.length === 0) return;
  const first = times.reduce((one, other) => Math.min(one, other));
  tx.afterCommit(() => ctx.bus.emit('work.due', { inMs: Math.max(0, first - ctx.clock.now().getTime()) }));
}

/** Shows recorded runs to the policies, in the transaction that records them. */
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
