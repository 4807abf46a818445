import type { FlowControl } from '@holdfast/sdk/protocol';
import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import type { Entry } from './journal.ts';
import type { RunRecord } from './runRecord.ts';
import type { Remains } from './starts.ts';

/** Instants are stored as whole milliseconds. */
const roundingMs = 1;

interface Buffering {
  workflow: string;
  flow: FlowControl;
  /** The starts that entered buffers of either policy, in order, with the scope. */
  puts: Record<'debounce' | 'batch', Entry[]>;
  coverage: Scene['coverage'];
}

/** An accepted start leaves its buffer once, as its policy says, and no start stays (I10). */
export function judgeBuffers({ programs, ledger, coverage }: Scene, remains: Remains): void {
  for (const { name: workflow, flow } of programs.values()) {
    if (!flow?.debounce && !flow?.batch) continue;
    const putsOf = (policy: string): Entry[] =>
      remains.journal.filter(({ what, scope }) => what === 'put' && `${scope} `.startsWith(`${policy} ${workflow} `));
    const each: Buffering = {
      workflow,
      flow,
      puts: { debounce: putsOf('debounce'), batch: putsOf('batch') },
      coverage,
    };
    judgeAccepted(each, remains, ledger.refused);
    if (flow.debounce) judgeDebounce(each, remains, flow.debounce);
    if (flow.batch) judgeBatch(each, remains, flow.batch);
  }
}

/**
 * A start whose answer was *buffered* is in the buffer. If a transaction debounced several starts,
 * only the last one is.
 */
function judgeAccepted(
  { workflow, puts }: Buffering,
  { events, journal }: Remains,
  refused: Scene['ledger']['refused'],
): void {
  const txOf = new Map(
    journal.flatMap(({ what, subject, tx }) => (what === 'recorded' ? [[subject, tx] as const] : [])),
  );
  const told = [
    ...events.flatMap(({ id, triggered }) => triggered.map((entry) => ({ marker: id, ...entry }))),
    ...refused.map(({ workflow: of, reason, marker }) => ({ marker, workflow: of, [reason]: true })),
  ].filter((each) => each.workflow === workflow);
  for (const { marker, ...entry } of told) {
    const policy = 'debounced' in entry ? 'debounce' : 'batched' in entry ? 'batch' : undefined;
    if (!policy) continue;
    const own = puts[policy].filter(({ key }) => key === marker).length;
    const tx = txOf.get(marker);
    const isOvertaken = policy === 'debounce' && puts.debounce.some((put) => tx === undefined || put.tx === tx);
    if (own === 0 && isOvertaken) continue;
    agree(`how often ${marker} was put into a buffer of ${workflow}`, own, 1);
  }
}

/**
 * After `periodMs` without another start, the last one of a scope leaves as a run, or into a batch.
 */
function judgeDebounce(
  { workflow, flow, puts, coverage }: Buffering,
  { runs, journal }: Remains,
  { periodMs }: NonNullable<FlowControl['debounce']>,
): void {
  const scopes = new Map(puts.debounce.map(({ key, scope }) => [key, scope]));
  const waiting = new Map<string | null, Entry>();
  const leave = (entry: Entry, marker: string | null): void => {
    const scope = scopes.get(marker) ?? null;
    const last = waiting.get(scope);
    agree(`what leaves the buffer of ${scope}`, marker, last?.key);
    waiting.delete(scope);
    const quietMs = entry.since - (last?.since ?? Number.NaN);
    agree(`${marker} leaves the buffer of ${scope} after ${quietMs} ms`, quietMs >= periodMs - roundingMs, true);
  };
  for (const entry of journal) {
    if (puts.debounce.includes(entry)) {
      if (waiting.has(entry.scope)) coverage.count('debounce', 'another came');
      waiting.set(entry.scope, entry);
    } else if (flow.batch && puts.batch.includes(entry)) {
      coverage.count('debounce', 'into a batch');
      leave(entry, entry.key);
    } else if (!flow.batch && entry.what === 'began') {
      const run = runs.get(entry.subject);
      if (run?.workflow === workflow && run.is_flushed) leave(entry, run.marker);
    }
  }
  agree(`what is left in buffers of ${workflow}`, [...waiting.values()], []);
}

/**
 * Each start is in one run, together with its neighbours. A run has at most `maxSize`, and fewer
 * only at its time.
 */
function judgeBatch(
  { workflow, puts, coverage }: Buffering,
  { runs, journal }: Remains,
  { maxSize, timeoutMs }: NonNullable<FlowControl['batch']>,
): void {
  const batched = [...runs.values()].filter((run) => run.workflow === workflow && isOfBuffer(run));
  agree(
    `what runs of ${workflow} have, each once`,
    batched.flatMap(({ events }) => events ?? ['no events']).sort(),
    puts.batch.map(({ key }) => key).sort(),
  );
  for (const { id, events } of batched) {
    const what = `run ${id} of ${workflow}`;
    const first = puts.batch.find(({ key }) => key === events?.[0]);
    const scope = puts.batch.filter((each) => each.scope === first?.scope).map(({ key }) => key);
    const from = scope.indexOf(first?.key ?? null);
    const size = events?.length ?? 0;
    agree(`${what}: its events came one after the other`, events, scope.slice(from, from + size));
    agree(`${what}: it has ${size} events`, size > 0 && size <= maxSize, true);
    const began = journal.find((each) => each.what === 'began' && each.subject === id);
    const waitedMs = (began?.since ?? Number.NaN) - (first?.since ?? Number.NaN);
    const isTime = size === maxSize || waitedMs >= timeoutMs - roundingMs;
    agree(`${what}: it has ${size} events after ${waitedMs} ms`, isTime, true);
    coverage.count('batch', size === maxSize ? 'full' : size > 1 ? 'several' : 'alone');
  }
}

/** Not of a call, which has a run of its own, nor of a fork. */
const isOfBuffer = (run: RunRecord): boolean =>
  run.replay_of === null && run.on_failure_of === null && run.parent_run_id === null;
