import { describe, expect, it } from 'vitest';
import { reasonsOf, type Wait } from './waitReasons.ts';

const base = { since: null, until: null, step: null };
const id = '0198f3c2-7a1e-7c3b-9f1e-2b7f6a1c9d10';

/** The sentences for one cause, with the pages of its links. */
function said(wait: object): { text: string; links: string[] } {
  const [reason] = reasonsOf([{ ...base, ...wait } as Wait]);
  return {
    text: [reason?.title, reason?.detail].filter(Boolean).join(' | '),
    links: reason?.links.map(({ to }) => to.join('/')) ?? [],
  };
}

describe('why a run waits', () => {
  it('names a full scope, and the runs that hold it', () => {
    const wait = {
      __typename: 'ConcurrencyWait',
      key: 'acme',
      limit: 2,
      inUse: 2,
      holders: [id],
      ahead: 3,
      isMoreAhead: false,
    };
    expect(said(wait)).toEqual({
      text: 'Waits for a slot: 2 of 2 of “acme” are in use | 3 runs are ahead of it.',
      links: [`runs/${id}`],
    });
  });

  it('names what a runner lacks', () => {
    const wait = {
      __typename: 'RunnerWait',
      app: 'shop',
      workflow: 'ship',
      runner: 'eu-1',
      live: 0,
      registered: 2,
      inUse: 0,
      limit: 0,
      ahead: 0,
      isMoreAhead: false,
    };
    expect(said({ ...wait, lack: 'NONE' }).text).toContain(
      'No runner serves “ship” of shop | None ever registered it: start one.',
    );
    expect(said({ ...wait, lack: 'GONE' }).text).toContain(
      '2 registered it, and none is live. It is pinned to “eu-1”.',
    );
    expect(said({ ...wait, lack: 'FULL', live: 1, inUse: 4, limit: 4 }).text).toContain('4 of 4 places are taken');
  });

  it('names the event, its guard and the refused ones', () => {
    const wait = {
      __typename: 'EventWait',
      eventName: 'paid',
      guard: 'event.data.ok',
      refused: [{ id, receivedAt: '' }],
    };
    expect(said(wait)).toEqual({
      text: 'Waits for the event “paid” that satisfies event.data.ok | Its guard refused an event of that name.',
      links: ['events/new', `events/${id}`],
    });
  });

  it('names a retry with its step, its attempt and the last error', () => {
    const step = { index: 3, attempt: 1, name: 'charge' };
    const wait = {
      __typename: 'RetryWait',
      step,
      nextAttempt: 2,
      maxAttempts: 4,
      error: { name: 'TypeError', message: 'refused\nat x' },
    };
    expect(said(wait).text).toBe('Step “charge”: waits for attempt 2 of 4 | The last one failed: TypeError: refused');
  });

  it('goes through children down to the leaf', () => {
    const because = {
      ...base,
      __typename: 'ApprovalWait',
      approvalId: id,
      tool: 'refund',
      risk: 'high',
      isEscalated: false,
      onTimeout: 'REJECT',
    };
    const wait = { __typename: 'ChildWait', childRunId: 'b', childStatus: 'WAITING', path: ['b', 'c'], because };
    expect(said(wait)).toEqual({
      text: 'Waits for a child run, which is waiting (2 levels deep) | Because the child: waits for a decision on “refund” (high risk). At the deadline: reject.',
      links: ['runs/b', 'runs/c', `approvals/${id}`],
    });
  });

  it('says that a child needs attention', () => {
    const wait = { __typename: 'ChildWait', childRunId: 'b', childStatus: 'NEEDS_ATTENTION', path: ['b'] };
    expect(said(wait).text).toBe('Waits for a child run, which needs attention');
  });

  it('names the person or the budget that paused it', () => {
    expect(said({ __typename: 'PausedWait', reason: 'MANUAL', actor: 'Ada', budget: null }).text).toBe(
      'Paused by Ada | It goes on when somebody resumes it.',
    );
    const budget = { maxCost: 5, maxTokens: null, windowMs: 3_600_000 };
    expect(said({ __typename: 'PausedWait', reason: 'BUDGET', actor: null, budget }).text).toContain(
      '$5 within 1 h 00 m were spent',
    );
  });

  it('shows hidden characters of names', () => {
    expect(said({ __typename: 'EventWait', eventName: 'a‮b', guard: null, refused: [] }).text).toContain('a‹U+202E›b');
  });

  it('says at least the kind of a cause that a newer service has', () => {
    expect(said({ __typename: 'MoonWait', kind: 'FULL_MOON' }).text).toBe('Waits: full moon');
  });
});
