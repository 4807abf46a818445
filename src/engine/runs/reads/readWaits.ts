import type { Queryable } from '../../db/index.ts';
import { selectWaits, type WaitRow } from '../sql/selectWaits.ts';
import { type WaitingFor, type WaitKind, waitError, waitKindOf, waitKinds } from '../waiting.ts';

/** Why runs do not execute, by run. A run that executes, is paused or has ended is left out. */
export async function readWaits(db: Queryable, runIds: readonly string[]): Promise<Map<string, WaitingFor>> {
  const rows = await selectWaits(db, { runIds });
  return new Map(
    rows.flatMap((row) => {
      const wait = waitOf(row);
      return wait ? [[row.runId, wait] as const] : [];
    }),
  );
}

function waitOf(row: WaitRow): WaitingFor | undefined {
  switch (row.state) {
    case 'ready':
      return { kind: 'runner' };
    case 'stranded':
      return { kind: 'runner', until: row.dueAt ?? undefined };
    case 'gated':
      return { kind: 'slot' };
    case 'parked':
      return parkedFor(row);
    default:
      return undefined;
  }
}

function parkedFor(row: WaitRow): WaitingFor | undefined {
  const until = row.dueAt ?? undefined;
  if (row.isEarly) return { kind: 'start', until };
  const recorded = row.waitingFor === null ? undefined : readWait(row.waitingFor);
  if (recorded && recorded.kind !== 'approval') return recorded;
  // The deadline of an approval is kept with the approval, and ends when it escalates.
  if (row.approval !== null) return { kind: 'approval', step: row.approval, until: row.deadline ?? undefined };
  return fromRows(row);
}

/** The wait of a run that a process of the former version parked. */
function fromRows({ retryAt, unanswered, step, op, willRetry, runAfter, error }: WaitRow): WaitingFor | undefined {
  if (retryAt) return { kind: unanswered > 0 ? 'transport' : 'retry', until: retryAt };
  const kind = op === null ? undefined : waitKindOf({ op, willRetry: willRetry ?? false });
  if (!kind) return undefined;
  const failure = kind === 'retry' && error !== null ? waitError(JSON.parse(error)) : undefined;
  return { kind, step: step ?? undefined, until: runAfter ?? undefined, error: failure };
}

/** Reads a wait from its JSON, in the queue or in a frame. */
export const readWait = (text: string): WaitingFor | undefined => toWait(JSON.parse(text));

export function toWait(value: unknown): WaitingFor | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, until, step, error }: { [Field in keyof WaitingFor]?: unknown } = value;
  const known: WaitKind | undefined = waitKinds.find((each) => each === kind);
  if (!known) return undefined;
  return {
    kind: known,
    until: typeof until === 'string' ? new Date(until) : undefined,
    step: typeof step === 'string' ? step : undefined,
    error: waitError(error),
  };
}
