import { type Tone, visibleText } from '../../design/index.ts';

/** What became of an event at one workflow. */
export interface Outcome {
  app: string;
  workflow: string;
  runId?: string | null;
  existingRunId?: string | null;
  deduped?: boolean | null;
  dropped?: boolean | null;
  skipped?: boolean | null;
  debounced?: boolean | null;
  batched?: boolean | null;
}

export interface OutcomeWords {
  label: string;
  tone: Tone;
  /** The gate's answer in a sentence. */
  because: string;
  /** The run that started, or the one that stands for it. */
  runId?: string | undefined;
}

/** The answer of the gates in words. */
export function outcomeWords(outcome: Outcome): OutcomeWords {
  const runId = outcome.runId ?? outcome.existingRunId ?? undefined;
  if (outcome.deduped)
    return { label: 'Deduplicated', tone: 'idle', because: 'Its idempotency key has a run already.', runId };
  if (outcome.dropped) return { label: 'Dropped', tone: 'bad', because: 'The rate limit dropped the start for good.' };
  if (outcome.skipped)
    return { label: 'Skipped', tone: 'hold', because: 'Another run of the singleton has not ended.', runId };
  if (outcome.debounced)
    return { label: 'Debounced', tone: 'wait', because: 'The start waits for quiet; the last event wins.' };
  if (outcome.batched)
    return { label: 'Batched', tone: 'wait', because: 'The event waits for its batch, which starts one run.' };
  if (outcome.runId) return { label: 'Run', tone: 'good', because: 'A run started.', runId };
  return { label: 'No run', tone: 'idle', because: 'No run started.' };
}

interface Counted {
  triggered: readonly Outcome[];
  woke: number;
  suspended?: boolean | null;
}

/** What became of an event, in one line for a list. */
export function summaryOf({ triggered, woke, suspended }: Counted): { text: string; tone: Tone } {
  if (suspended) return { text: 'no run: the project was suspended', tone: 'hold' };
  const counts = new Map<string, number>();
  for (const outcome of triggered) {
    const { label } = outcomeWords(outcome);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const parts = [...counts].map(([label, count]) =>
    label === 'Run'
      ? `${count} ${count === 1 ? 'run' : 'runs'}`
      : `${count === 1 ? '' : `${count} `}${label.toLowerCase()}`,
  );
  if (woke > 0) parts.push(`woke ${woke} ${woke === 1 ? 'run' : 'runs'}`);
  if (parts.length === 0) return { text: 'nothing matched', tone: 'idle' };
  return { text: parts.join(', '), tone: counts.has('Dropped') ? 'bad' : 'good' };
}

/** The names of the workflows that matched, for a title. */
export const workflowNames = (triggered: readonly Outcome[]): string =>
  triggered.map(({ workflow }) => visibleText(workflow)).join(', ');
