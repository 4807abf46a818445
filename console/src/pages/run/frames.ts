import type { Step } from './lanes.ts';

/** A frame of the journal that says how a step is. */
export interface StepFrame {
  seq: number;
  kind: string;
  index?: number | null;
  attempt?: number | null;
  step?: string | null;
  status?: string | null;
  ts: string;
  durationMs?: number | null;
  willRetry?: boolean | null;
  nextAttemptAt?: string | null;
}

const keyOf = (index: number, attempt: number): string => `${index}.${attempt}`;

/**
 * The steps as the frames after the read have changed them. A frame of a step that the read lacks
 * makes a row; the next read has the rest of its fields.
 */
export function withFrames<Row extends Step>(steps: readonly Row[], frames: readonly StepFrame[]): (Row | Step)[] {
  if (frames.length === 0) return [...steps];
  const rows = new Map<string, Row | Step>(steps.map((step) => [keyOf(step.index, step.attempt), step]));
  for (const frame of frames) {
    const { index, attempt, status, step: name } = frame;
    if (frame.kind !== 'STEP_STATUS' || index == null || attempt == null || !status || !name) continue;
    const key = keyOf(index, attempt);
    rows.set(key, changed(rows.get(key), { ...frame, index, attempt, status, step: name }));
  }
  return [...rows.values()];
}

function changed(
  row: Step | undefined,
  frame: StepFrame & { index: number; attempt: number; status: string; step: string },
): Step {
  const hasEnded = frame.status !== 'RUNNING' && frame.status !== 'WAITING';
  const startedAt = row?.startedAt ?? startOf(frame);
  return {
    kind: 'RUN',
    ...row,
    index: frame.index,
    attempt: frame.attempt,
    name: frame.step,
    status: frame.status,
    startedAt,
    endedAt: hasEnded ? frame.ts : null,
    durationMs: frame.durationMs ?? row?.durationMs ?? null,
    willRetry: frame.willRetry ?? null,
    nextAttemptAt: frame.nextAttemptAt ?? null,
  };
}

const startOf = ({ ts, durationMs }: StepFrame): string => new Date(Date.parse(ts) - (durationMs ?? 0)).toISOString();
