import type { LaneState } from '../inference/index.ts';
import { waitError, waitKindOf } from '../runs/index.ts';
import type { RunWait, WaitingStep } from './runWait.ts';
import type { OpenStep } from './sql/selectOpenSteps.ts';
import type { WaitFacts } from './sql/selectWaitFacts.ts';

/** What the causes of steps refer to. */
export interface StepScene {
  facts: WaitFacts;
  lanes: ReadonlyMap<string, LaneState>;
  /** The causes of a child run, the most important first. */
  causesOf(childRunId: string): readonly RunWait[];
}

/** The cause of an open step; undefined for a kind of step that nobody need know of. */
export function stepCause(row: OpenStep, scene: StepScene): RunWait | undefined {
  const step: WaitingStep = { name: row.name, index: row.index, attempt: row.attempt };
  const times = { since: row.startedAt, until: row.runAfter ?? undefined };
  switch (waitKindOf(row)) {
    case 'retry':
      return {
        kind: 'retry',
        step,
        since: row.endedAt ?? row.startedAt,
        until: row.runAfter ?? undefined,
        nextAttempt: row.attempt + 1,
        maxAttempts: scene.facts.maxAttempts ?? undefined,
        error: row.error === null ? undefined : waitError(JSON.parse(row.error)),
      };
    case 'sleep':
      return { kind: 'sleep', step, ...times };
    case 'event':
      return {
        kind: 'event',
        step,
        ...times,
        eventName: row.eventName ?? '',
        guard: row.guard ?? undefined,
        refused: refusedOf(row),
      };
    case 'child':
      return childCause(row, step, scene);
    case 'approval':
      return approvalCause(row, step);
    case 'inference':
      return inferenceCause(row, step, scene);
    default:
      return undefined;
  }
}

const refusedOf = ({ refusedIds, refusedAt }: OpenStep) =>
  (refusedIds ?? []).flatMap((id, position) => {
    const receivedAt = refusedAt?.[position];
    return receivedAt ? [{ id, receivedAt }] : [];
  });

function childCause(row: OpenStep, step: WaitingStep, { causesOf }: StepScene): RunWait | undefined {
  const { childRunId, childStatus, startedAt } = row;
  if (childRunId === null || childStatus === null) return undefined;
  const [first] = causesOf(childRunId);
  const common = { kind: 'child', step, since: startedAt, childRunId, childStatus } as const;
  if (first?.kind === 'child') return { ...common, path: [childRunId, ...first.path], because: first.because };
  return { ...common, path: [childRunId], because: first };
}

function approvalCause(row: OpenStep, step: WaitingStep): RunWait | undefined {
  const { approvalId, tool, risk, onTimeout, approvalStatus, expiresAt, startedAt } = row;
  if (approvalId === null || tool === null || risk === null || onTimeout === null) return undefined;
  const isEscalated = approvalStatus === 'escalated';
  const until = isEscalated ? undefined : (expiresAt ?? undefined);
  return { kind: 'approval', step, since: startedAt, until, approvalId, tool, risk, isEscalated, onTimeout };
}

function inferenceCause(row: OpenStep, step: WaitingStep, { lanes }: StepScene): RunWait | undefined {
  const lane = row.laneId === null ? undefined : lanes.get(row.laneId);
  if (!lane || row.nextSendAt === null) return undefined;
  return {
    kind: 'inference',
    step,
    since: row.startedAt,
    until: row.deadlineAt ?? undefined,
    lane,
    isInFlight: row.isInFlight ?? false,
    isCapped: row.isCapped ?? false,
    nextSendAt: row.nextSendAt,
  };
}
