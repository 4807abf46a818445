import { expect } from 'vitest';
import { memoOf } from '../../../support/scriptedRunner.ts';
import { done, found, hearing, opcode, type Said, type Saying } from './sayings.ts';

const heard = (result: unknown): Saying['end'] => ({ status: 'succeeded', result });
/** The handler hears of an error, may catch it, and does. */
const caught = heard({ error: expect.objectContaining({ message: expect.any(String) }) });

/** Steps with invalid fields. */
const impossible: Saying[] = (
  [
    ['Levitate', {}],
    ...[-1, 1e18, 'NaN', null, undefined].map((sleepMs) => ['Sleep', { sleepMs }] as const),
    ...[1e18, -1e18, '2026-11-21', null].map((sleepUntilMs) => ['SleepUntil', { sleepUntilMs }] as const),
    ['WaitForEvent', {}],
    ['WaitForEvent', { eventName: 'x', timeoutMs: -1 }],
    ['WaitForEvent', { eventName: 'x', timeoutMs: 1e18 }],
    ['WaitForEvent', { eventName: 'x', eventIf: '(((' }],
    ['WaitForEvent', { eventName: 'x', eventIf: 5 }],
    ['Emit', {}],
    ['Emit', { eventName: 'a\0b' }],
    ['RunWorkflow', {}],
    ['RunWorkflow', { childName: 'nobody' }],
    ['RunWorkflow', { childName: 'plain', childTags: 'x' }],
    ['Approval', { timeoutMs: -1 }],
    ['Approval', { tool: 'x', timeoutMs: 'soon' }],
    ['Approval', { tool: 'x', onTimeout: 'shrug' }],
    ['Score', {}],
    ['Score', { data: { name: 'x', value: null } }],
    ['Webhook', {}],
    ['Webhook', { webhookUrl: 'x\0' }],
    ['StepRun', { error: { message: 5 } }],
  ] as const
).map(([op, fields]) => ({
  name: `${op} ${JSON.stringify(fields)}`,
  say: hearing(opcode(op, 'odd', fields)),
  end: caught,
}));

/** A model call with invalid figures: the step counts, the figures are omitted. */
const figures: Saying[] = [
  { tokensIn: -5, tokensOut: -1, cost: -0.5, latencyMs: -1 },
  { tokensIn: 'NaN', tokensOut: 1.5, cost: 1e300 },
  'much',
  [1],
].map((usage) => ({
  name: `the usage ${JSON.stringify(usage)}`,
  say: hearing(opcode('StepRun', 'call', { data: 1, ai: { model: 'm' }, usage })),
  end: heard({ data: 1 }),
}));

/** A sleep that the runner later takes for a step of another kind: it stays a sleep. */
function changesKind(request: Parameters<Saying['say']>[0]): Said {
  const nap = memoOf(request, 'nap');
  if (!nap) return found(opcode('Sleep', 'nap', { sleepMs: 20 }), opcode('StepRun', 'a', { data: 1 }));
  return 'pending' in nap ? found(opcode('StepRun', 'nap', { data: 'stolen' })) : done(nap);
}

/** A settled step that the runner executes again, with another result: the first result counts. */
function executesAgain(request: Parameters<Saying['say']>[0]): Said {
  const [a, b] = [memoOf(request, 'a'), memoOf(request, 'b')];
  if (b) return done(a);
  return found(opcode('StepRun', 'a', { data: a ? 2 : 1 }), ...(a ? [opcode('StepRun', 'b')] : []));
}

const identities: Saying[] = [
  { name: 'another kind of opcode for a step that is pending', say: changesKind, end: heard({ data: null }) },
  { name: 'another result for a step that is settled', say: executesAgain, end: heard({ data: 1 }) },
  {
    name: 'one id twice',
    say: (request) =>
      memoOf(request, 'a')
        ? done(memoOf(request, 'a'))
        : found(opcode('StepRun', 'a', { data: 'first' }), opcode('StepRun', 'a', { data: 'second' })),
    end: heard({ data: 'first' }),
  },
  {
    name: 'an id that is no hash of its name',
    say: (request) =>
      request.steps['whatever']
        ? done(request.steps['whatever'])
        : found({ op: 'StepRun', id: 'whatever', name: 'a', data: 1 }),
    end: heard({ data: 1 }),
  },
  {
    name: 'a time that is long over',
    say: hearing(opcode('SleepUntil', 'nap', { sleepUntilMs: -5 })),
    end: heard({ data: null }),
  },
];

export const stepSayings: Saying[] = [...impossible, ...figures, ...identities];
