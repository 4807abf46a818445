import { agree } from '../kit/agree.ts';
import { stepError } from '../program/handler.ts';
import type { Node } from '../program/program.ts';
import type { Scene } from '../storm/process.ts';
import { isRefusal } from './judgeSpend.ts';
import { isRefused } from './lastRequest.ts';
import type { StepRecord } from './runRecord.ts';
import type { Case } from './verdict.ts';
import { outcomesOf } from './withheld.ts';

/** An attempt of a step ended as its node says. */
export function judgeStep(of: Case, row: StepRecord, node: Node | undefined): void {
  const { scene, run, program } = of;
  const where = `step ${row.name}, attempt ${row.attempt}, of run ${run.id}`;
  if (!node) throw new Error(`${where}: the program has no such step`);
  agree(`${where}: attempts within the budget`, row.attempt <= program.maxAttempts, true);
  if (row.status === 'cancelled') return;
  // `judgeCap` checks that the refusal was due.
  if (isRefusal(row)) agree(where, row.status, 'failed');
  else if (node.kind === 'step') {
    const isFailure = row.attempt === node.fatalAt || row.attempt <= node.fails;
    const status = isFailure ? 'failed' : node.skip ? 'skipped' : 'succeeded';
    const error = isFailure ? stepError(row.name, row.attempt) : null;
    agree(where, { status: row.status, error: row.error }, { status, error });
  } else if (node.kind === 'child') {
    judgeChild(of, where, row, node.workflow);
  } else if (node.kind === 'sleep' || node.kind === 'sleepUntil' || node.kind === 'score') {
    agree(where, row.status, 'succeeded');
  } else if (node.kind === 'wait') {
    judgeWait(scene, where, row, node);
  } else if (node.kind === 'unknown') {
    agree(where, row.status, 'failed');
  }
}

function judgeWait(scene: Scene, where: string, row: StepRecord, node: Extract<Node, { kind: 'wait' }>): void {
  agree(where, row.status, 'succeeded');
  if (row.output === null) {
    agree(`${where}, may time out`, node.timeoutMs !== undefined, true);
    scene.coverage.count('wait', 'timed out');
    return;
  }
  const { name, data } = row.output as { name: unknown; data: { key: unknown } };
  agree(where, { name, key: data.key }, { name: node.event, key: node.key ?? data.key });
  scene.coverage.count('wait', node.key === undefined ? 'any' : 'by key');
}

/** Each attempt has one child, whose end is the step's, or none if flow control withheld it. */
function judgeChild({ scene, run, runs, program }: Case, where: string, row: StepRecord, callee: string): void {
  const children = [...runs.values()].filter(
    (each) => each.parent_run_id === run.id && each.parent_step === row.name && each.parent_attempt === row.attempt,
  );
  agree(
    `children of ${where}`,
    children.map((each) => each.id),
    isRefused(row) ? [] : [row.child_run_id],
  );
  if (isRefused(row)) {
    judgeRefusal(scene, where, row, { callee, maxAttempts: program.maxAttempts });
    return;
  }
  const [child] = children;
  const told = { status: row.status, output: row.output, error: row.error?.message };
  if (child?.status === 'succeeded') {
    agree(where, told, { status: 'succeeded', output: child.result, error: undefined });
  } else {
    const error = child?.status === 'failed' ? child.error?.message : 'the child run was cancelled';
    agree(where, told, { status: 'failed', output: null, error });
  }
}

const refusals: Record<string, string> = {
  'its idempotency key was seen before': 'deduped',
  'another run of its singleton is under way': 'skipped',
  'its rate limit is reached': 'dropped',
};

interface Call {
  callee: string;
  maxAttempts: number;
}

/** A key with another holder ends the step. Any other refusal counts as one attempt. */
function judgeRefusal({ programs, coverage }: Scene, where: string, row: StepRecord, call: Call): void {
  const { callee, maxAttempts } = call;
  const { error, attempt, run_after: retryAt } = row;
  const reason = refusals[error?.message.replace('the child run was not started: ', '') ?? ''];
  const isTriedAgain = reason !== 'deduped' && attempt < maxAttempts;
  agree(where, { tried: retryAt !== null, error: error?.name }, { tried: isTriedAgain, error: 'FlowControlError' });
  const possible: readonly (string | undefined)[] = outcomesOf(programs.get(callee)?.flow, { isCall: true });
  agree(
    `${where}, ${error?.message}: its policies may say so`,
    reason !== undefined && possible.includes(reason),
    true,
  );
  coverage.count('withheld', `call ${reason}`);
}
