import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkLedgers, type LedgersOf, type Observed } from './checkLedgers.ts';
import { type ClientEntry, Ledger, type RunnerEntry, readLedger } from './ledgers.ts';

const memoOf = (stepId: string) => ({ stepId, text: '{"data":1}' });

/** A correct event that started a run of two steps. */
const ledgers = (): { client: ClientEntry[]; runner: RunnerEntry[]; faults: LedgersOf['faults'][number][] } => ({
  client: [
    { kind: 'request', at: 1, key: 'k1', what: { event: 'order' } },
    { kind: 'answer', at: 2, key: 'k1', status: 202, eventId: 'e1', runIds: ['r1'], deduped: false },
  ],
  runner: [
    { kind: 'invoke', at: 3, invokeId: 'i1', runId: 'r1', memo: [] },
    { kind: 'body', at: 4, invokeId: 'i1', runId: 'r1', stepId: 'a' },
    { kind: 'replied', at: 5, invokeId: 'i1', runId: 'r1', status: 206 },
    { kind: 'invoke', at: 6, invokeId: 'i2', runId: 'r1', memo: [memoOf('a')] },
    { kind: 'body', at: 7, invokeId: 'i2', runId: 'r1', stepId: 'b' },
    { kind: 'invoke', at: 8, invokeId: 'i3', runId: 'r1', memo: [memoOf('a'), memoOf('b')] },
  ],
  faults: [],
});

const observed = (): Observed & { runs: [Observed['runs'][number]] } => ({
  events: [{ id: 'e1', dedupeId: 'k1', triggered: [{ runId: 'r1' }] }],
  runs: [
    {
      id: 'r1',
      workflow: 'order',
      status: 'succeeded',
      eventId: 'e1',
      steps: [
        { stepId: 'a', name: 'a', attempt: 1, status: 'succeeded', output: '1' },
        { stepId: 'b', name: 'b', attempt: 1, status: 'succeeded', output: '1' },
      ],
      frames: [
        { seq: 1, kind: 'run_status', status: 'queued' },
        { seq: 2, kind: 'run_status', status: 'running' },
        { seq: 3, kind: 'step_status', status: 'succeeded' },
        { seq: 4, kind: 'step_status', status: 'succeeded' },
        { seq: 5, kind: 'run_status', status: 'succeeded' },
      ],
    },
  ],
});

type Ledgers = ReturnType<typeof ledgers>;
type Seen = ReturnType<typeof observed>;

/** The violations after a harmful change. */
function broken(change: (ledgers: Ledgers, observed: Seen) => void): string[] {
  const [written, seen] = [ledgers(), observed()];
  change(written, seen);
  return checkLedgers(written, seen).violations;
}

const found = (invariant: string) => [expect.stringMatching(new RegExp(`^${invariant} `))];

it('correct ledgers have no violations, and are counted', () => {
  expect(checkLedgers(ledgers(), observed())).toEqual({
    violations: [],
    counts: { requests: 1, acknowledged: 1, runs: 1, invokes: 3, bodies: 2, faults: 0 },
  });
});

describe('I1', () => {
  it('an acknowledged event that is lost', () => {
    expect(broken((_, seen) => void seen.events.pop())).toEqual([...found('I1'), ...found('I1')]);
  });

  it('an acknowledged run that is lost', () => {
    expect(broken((_, seen) => void seen.runs.pop())).toEqual([...found('I1'), ...found('I1')]);
  });

  it('a retry that was taken for new', () => {
    const again: ClientEntry = {
      kind: 'answer',
      at: 9,
      key: 'k1',
      status: 202,
      eventId: 'e2',
      runIds: [],
      deduped: false,
    };
    const violations = broken(({ client }, { events }) => {
      client.push(again);
      events.push({ id: 'e2', dedupeId: 'k1', triggered: [] });
    });
    expect(violations).toEqual(['I1 k1 was taken for new 2 times', 'I1 k1 is in the event log 2 times']);
  });

  it('a recognized retry is no violation, and neither is an unanswered request', () => {
    const deduped: ClientEntry = { kind: 'answer', at: 9, key: 'k1', status: 202, runIds: [], deduped: true };
    const unknown: ClientEntry = { kind: 'request', at: 9, key: 'k2', what: { event: 'order' } };
    expect(broken(({ client }) => void client.push(deduped, unknown))).toEqual([]);
  });

  it('a refused request counts as not acknowledged', () => {
    const written = ledgers();
    written.client.push({ kind: 'answer', at: 9, key: 'k3', status: 500, runIds: [], deduped: false });
    expect(checkLedgers(written, observed()).counts).toMatchObject({ requests: 2, acknowledged: 1 });
  });
});

it('I2: an event that started a workflow twice, forks aside', () => {
  const second = (more: object) => broken((_, { runs }) => void runs.push({ ...runs[0], id: 'r2', ...more }));
  expect(second({})).toEqual(found('I2'));
  expect(second({ replayOf: 'r1' })).toEqual([]);
});

it('I3: a run that never ended', () => {
  const violations = broken((_, { runs: [run] }) => {
    run.status = 'waiting';
    run.frames.splice(4, 1, { seq: 5, kind: 'run_status', status: 'waiting' });
  });
  expect(violations).toEqual(found('I3'));
});

describe('I4', () => {
  it('a memo that was forgotten', () => {
    expect(broken(({ runner }) => void Object.assign(runner[5] ?? {}, { memo: [memoOf('b')] }))).toEqual(found('I4'));
  });

  it('a memo that changed', () => {
    const changed = { stepId: 'a', text: '{"data":2}' };
    const violations = broken(({ runner }) => void Object.assign(runner[5] ?? {}, { memo: [changed, memoOf('b')] }));
    expect(violations).toEqual([...found('I4'), ...found('I4')]);
  });

  it('a step that was entered by an invoke that carries its result', () => {
    const violations = broken(({ runner, faults }) => {
      runner.push({ kind: 'body', at: 9, invokeId: 'i3', runId: 'r1', stepId: 'a' });
      faults.push({ kind: 'fault', at: 5, what: 'kill' });
    });
    expect(violations).toEqual(found('I4'));
  });

  it('a step that reads otherwise than it was handed out', () => {
    expect(broken((_, { runs: [run] }) => void Object.assign(run.steps[0] ?? {}, { output: '7' }))).toEqual(
      found('I4'),
    );
  });

  it('a step that succeeded twice', () => {
    const twice = { stepId: 'b', name: 'b', attempt: 2, status: 'succeeded', output: '1' };
    expect(broken((_, { runs: [run] }) => void run.steps.push(twice))).toEqual(found('I4'));
  });
});

describe('I5', () => {
  const again = { kind: 'body', at: 5, invokeId: 'i1', runId: 'r1', stepId: 'a' } as const;

  it('a body that was entered once too often', () => {
    expect(broken(({ runner }) => void runner.push(again))).toEqual(found('I5'));
  });

  it('once more for a fault that struck while the run was in hand, not for one before', () => {
    const withFault = (at: number) =>
      broken(({ runner, faults }) => {
        runner.push(again);
        faults.push({ kind: 'fault', at, what: 'kill' });
      });
    expect(withFault(4.5)).toEqual([]);
    expect(withFault(1)).toEqual(found('I5'));
  });
});

describe('I7 and I16', () => {
  it('a transition that is not allowed', () => {
    const violations = broken((_, { runs: [run] }) => {
      run.frames[1] = { seq: 2, kind: 'log' };
    });
    expect(violations).toEqual(found('I7'));
  });

  it('a second end', () => {
    const violations = broken((_, { runs: [run] }) => {
      run.frames.push({ seq: 6, kind: 'run_status', status: 'succeeded' });
    });
    expect(violations).toEqual([...found('I7'), ...found('I7')]);
  });

  it('a hole', () => {
    expect(broken((_, { runs: [run] }) => void run.frames.splice(2, 1))).toEqual(found('I16'));
  });

  it('an end that is not the status of the run', () => {
    const violations = broken((_, { runs: [run] }) => {
      run.frames.push({ seq: 6, kind: 'log' });
    });
    expect(violations).toEqual(found('I16'));
  });
});

describe('a ledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-ledger-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('comes back in the order written, with increasing times, over reopenings', () => {
    const path = join(folder, 'runner');
    for (const invokeId of ['i1', 'i2']) {
      const ledger = new Ledger<RunnerEntry>(path);
      ledger.append({ kind: 'invoke', invokeId, runId: 'r', memo: [] });
      ledger.append({ kind: 'body', invokeId, runId: 'r', stepId: 's' });
      ledger.close();
    }
    const entries = readLedger<RunnerEntry>(path);
    expect(entries.map(({ kind, invokeId }) => `${kind} ${invokeId}`)).toEqual([
      'invoke i1',
      'body i1',
      'invoke i2',
      'body i2',
    ]);
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).sort((a, b) => a - b));
  });

  it('drops the half line that a killed process left', () => {
    const path = join(folder, 'torn');
    appendFileSync(path, '{"kind":"fault","at":1,"what":"kill"}\n{"kind":"fa');
    expect(readLedger(path)).toEqual([{ kind: 'fault', at: 1, what: 'kill' }]);
  });
});
