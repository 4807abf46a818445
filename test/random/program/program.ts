import type { FlowControl } from '@holdfast/sdk/protocol';
import fc from 'fast-check';
import { flows } from './flow.ts';
import { spends } from './spend.ts';

/**
 * Workflows call, by `RunWorkflow` or by an event, only workflows of a higher level. So runs nest
 * at most three deep.
 */
export const levels = 3;
export const eventNames = ['rain', 'snow'] as const;
export const keys = ['red', 'blue'] as const;

/**
 * A part of a handler, as data. Names are assigned when a program is complete, and are the step
 * ids.
 */
export type Node =
  | { kind: 'step'; name: string; fails: number; fatalAt: number; skip: boolean; caught: boolean; retryAfterMs: number }
  | { kind: 'sleep'; name: string; ms: number }
  | { kind: 'sleepUntil'; name: string; aheadMs: number }
  | { kind: 'wait'; name: string; event: string; key: string | undefined; timeoutMs: number | undefined }
  | { kind: 'emit'; name: string; event: string; key: string }
  | { kind: 'child'; name: string; workflow: string; caught: boolean }
  | { kind: 'score'; name: string }
  | { kind: 'unknown'; name: string; caught: boolean }
  | { kind: 'approval'; name: string; timeoutMs: number | undefined; onTimeout: OnTimeout; caught: boolean }
  /** The handler itself throws up to this attempt. */
  | { kind: 'toss'; name: string; times: number }
  | { kind: 'parallel'; branches: Node[][] }
  | { kind: 'race'; branches: Node[][] };

export const onTimeouts = ['escalate', 'approve', 'reject', 'fail'] as const;
export type OnTimeout = (typeof onTimeouts)[number];

export interface Program {
  name: string;
  nodes: Node[];
  maxAttempts: number;
  onFailure: boolean;
  /** Whether each pass ships a log line. Without one, its answer may take the shorter statement. */
  logs: boolean;
  /** Whether a schedule starts it too, every ten seconds. */
  cron: boolean;
  flow: FlowControl | undefined;
}

export const workflowAt = (level: number): string => `flow${level}`;
export const levelOf = ({ name }: Program): number => Number(name.slice('flow'.length));
/** The event that starts the workflow of a level. */
export const startOf = (level: number): string => `start${level}`;

export const everyTenSeconds = '*/10 * * * * *';

/** What a generator may use. */
export interface Vocabulary {
  approvals: boolean;
  crons: boolean;
  flows: boolean;
}

const ms = fc.constantFrom(0, 300, 1_000, 2_500, 8_000, 20_000);
const name = fc.constant('');

function leaf(level: number, { approvals }: Vocabulary): fc.Arbitrary<Node> {
  const step = fc.record({
    kind: fc.constant('step' as const),
    name,
    fails: fc.constantFrom(0, 0, 0, 1, 2, 9),
    fatalAt: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
    skip: fc.constantFrom(false, false, false, true),
    caught: fc.boolean(),
    retryAfterMs: fc.constantFrom(0, 0, 5_000),
  });
  const event = fc.constantFrom(...eventNames);
  const waits = fc.record({
    kind: fc.constant('wait' as const),
    name,
    event,
    key: fc.option(fc.constantFrom(...keys), { nil: undefined, freq: 2 }),
    timeoutMs: fc.option(ms, { nil: undefined, freq: 2 }),
  });
  const target = fc.integer({ min: Math.min(level + 1, levels - 1), max: levels - 1 });
  const starts = level < levels - 1 ? target.map(startOf) : event;
  const emits = fc.record({
    kind: fc.constant('emit' as const),
    name,
    event: fc.oneof(event, starts),
    key: fc.constantFrom(...keys),
  });
  const child = fc.record({
    kind: fc.constant('child' as const),
    name,
    workflow: target.map(workflowAt),
    caught: fc.boolean(),
  });
  const approval = fc.record({
    kind: fc.constant('approval' as const),
    name,
    timeoutMs: fc.option(ms, { nil: undefined, freq: 2 }),
    onTimeout: fc.constantFrom(...onTimeouts),
    caught: fc.boolean(),
  });
  const choices: fc.WeightedArbitrary<Node>[] = [
    { weight: 6, arbitrary: step },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('sleep' as const), name, ms }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('sleepUntil' as const), name, aheadMs: ms.map((each) => each - 500) }),
    },
    { weight: 4, arbitrary: waits },
    { weight: 2, arbitrary: emits },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('score' as const), name }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('unknown' as const), name, caught: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('toss' as const), name, times: fc.constantFrom(1, 2, 9) }) },
  ];
  if (level < levels - 1) choices.push({ weight: 3, arbitrary: child });
  if (approvals) choices.push({ weight: 3, arbitrary: approval });
  return fc.oneof(...choices);
}

function node(level: number, depth: number, vocabulary: Vocabulary): fc.Arbitrary<Node> {
  const simple = leaf(level, vocabulary);
  if (depth === 0) return simple;
  const inner = node(level, depth - 1, vocabulary);
  const branch = fc.oneof({ weight: 2, arbitrary: fc.tuple(inner) }, { weight: 1, arbitrary: fc.tuple(inner, inner) });
  const branches = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(branch, branch) },
    { weight: 1, arbitrary: fc.tuple(branch, branch, branch) },
  );
  const parallel = fc.record({ kind: fc.constant('parallel' as const), branches });
  const race = fc.record({ kind: fc.constant('race' as const), branches });
  // Branches side by side let steps end inside and outside of a pass at once.
  const weight = depth > 1 ? 4 : 2;
  return fc.oneof({ weight: 5, arbitrary: simple }, { weight, arbitrary: parallel }, { weight: 1, arbitrary: race });
}

/** If spends count, there is one before and one after everything else. */
const modelCall: Node = { kind: 'step', name: '', fails: 0, fatalAt: 0, skip: false, caught: false, retryAfterMs: 0 };

/** The workflows of one project, by level. */
export function programs(vocabulary: Vocabulary): fc.Arbitrary<Program[]> {
  const program = (level: number): fc.Arbitrary<Program> =>
    fc
      .record({
        nodes: fc.array(node(level, level === 0 ? 2 : 1, vocabulary), { minLength: 1, maxLength: level === 0 ? 3 : 2 }),
        maxAttempts: fc.constantFrom(1, 2, 3),
        onFailure: fc.constantFrom(false, false, true),
        logs: fc.boolean(),
        cron: vocabulary.crons
          ? fc.constantFrom(...Array.from({ length: 7 }, (_, at) => at === 0))
          : fc.constant(false),
        flow: vocabulary.flows ? flows : fc.constant(undefined),
      })
      .map(({ nodes, ...rest }) => ({
        ...{ name: workflowAt(level), nodes: named(spends(rest) ? [modelCall, ...nodes, modelCall] : nodes) },
        ...rest,
      }));
  return fc.tuple(...Array.from({ length: levels }, (_, level) => program(level)));
}

/** Assigns the step ids, in the order of the text. */
function named(nodes: Node[]): Node[] {
  let count = 0;
  const visit = (each: Node): Node => {
    if ('branches' in each) return { ...each, branches: each.branches.map((branch) => branch.map(visit)) };
    count += 1;
    return { ...each, name: `${each.kind}${count}` };
  };
  return nodes.map(visit);
}

/** All steps of a program. */
export function leavesOf(nodes: readonly Node[]): Exclude<Node, { branches: unknown }>[] {
  return nodes.flatMap((each) => ('branches' in each ? each.branches.flatMap(leavesOf) : [each]));
}
