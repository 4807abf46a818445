import { z } from 'zod';
import type { Transaction } from '../../../db/index.ts';
import {
  type AdmissionTransaction,
  type Ask,
  digestOf,
  key,
  type Policy,
  type Scoped,
  type StartCandidate,
  type WorkflowRef,
} from '../../index.ts';
import { findHolders } from './sql/findHolders.ts';
import { leaveSingleton } from './sql/leaveSingleton.ts';
import { lockSingletons } from './sql/lockSingletons.ts';

interface SingletonAsk {
  candidate: StartCandidate;
  /** Identifies the workflow and the scope. */
  digest: string;
  isSkipping: boolean;
}

type Asked = Ask<'singleton', StartCandidate>;

const asksOf = (asks: readonly Asked[]): SingletonAsk[] =>
  asks.map(({ candidate, policy }) => ({
    candidate,
    digest: digestOfScope({ ...candidate.run, policy }),
    isSkipping: policy.mode === 'skip',
  }));

const digestOfScope = ({ app, workflow, policy }: WorkflowRef & { policy: Scoped<object> }): string =>
  digestOf('singleton', app, workflow, policy.scope);

const nameOf = ({ candidate: { run }, digest }: SingletonAsk): string => `${run.projectId}/${digest}`;

/** The holders of singletons, by `nameOf`. */
async function holdersOf(tx: Transaction, asks: readonly SingletonAsk[]): Promise<Map<string, string>> {
  const singletons = asks.map(({ candidate: { run }, digest }) => ({ projectId: run.projectId, digest }));
  const rows = await findHolders(tx, { singletons });
  return new Map(rows.map((row) => [`${row.projectId}/${row.digest}`, row.runId]));
}

function skip(candidate: StartCandidate, holder: string | undefined): void {
  if (holder === undefined) return;
  candidate.withheld = 'skipped';
  candidate.existingRunId = holder;
}

/** At the door: drops a start with `skip` if a holder exists, before other gates see it. */
async function skipHeld({ tx }: AdmissionTransaction, all: readonly Asked[]): Promise<void> {
  const asks = asksOf(all).filter(({ isSkipping }) => isSkipping);
  if (asks.length === 0) return;
  const holders = await holdersOf(tx, asks);
  for (const ask of asks) skip(ask.candidate, holders.get(nameOf(ask)));
}

/**
 * At the start: makes the run the holder, under the singleton's lock. With `cancel`, the former
 * holder is cancelled in this transaction. With `skip`, a start that now finds a holder is dropped.
 */
async function occupy(admission: AdmissionTransaction, all: readonly Asked[]): Promise<void> {
  const asks = asksOf(all);
  await lockSingletons(admission.tx, { digests: asks.map(({ digest }) => digest) });
  const holders = await holdersOf(admission.tx, asks);
  const displaced: string[] = [];
  for (const ask of asks) {
    const { candidate, digest, isSkipping } = ask;
    const holder = holders.get(nameOf(ask));
    if (holder !== undefined && isSkipping) {
      skip(candidate, holder);
      continue;
    }
    if (holder !== undefined) displaced.push(holder);
    holders.set(nameOf(ask), candidate.run.runId);
    candidate.singleton = digest;
  }
  await displace(admission, displaced);
}

async function displace(admission: AdmissionTransaction, runIds: readonly string[]): Promise<void> {
  const { tx, own } = admission;
  if (own !== undefined && runIds.includes(own)) {
    await leaveSingleton(tx, { runId: own });
    admission.isOwnDisplaced = true;
  }
  await admission.cancelDisplaced(runIds.filter((runId) => runId !== own));
}

/**
 * 2.2 `singleton`: at most one unfinished run per scope. A unique index of the queue enforces it.
 * When a run ends, its row leaves the queue, which frees the singleton.
 */
export const singleton = {
  settings: z
    .strictObject({
      key,
      mode: z.enum(['skip', 'cancel'], { error: 'must be skip or cancel' }).meta({ title: 'SingletonMode' }).nullish(),
    })
    .meta({ title: 'FlowSingleton' }),
  origins: ['start', 'debounced', 'batched', 'call', 'fork'],
  gates: { skip: skipHeld, occupy },
  contested: (start, at) =>
    at === 'start' || start.policy.mode !== 'skip' ? { scope: 'singleton', key: digestOfScope(start) } : undefined,
} satisfies Policy<'singleton'>;
