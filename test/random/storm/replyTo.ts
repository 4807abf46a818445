import type { InvokeRequest } from '@holdfast/sdk/protocol';
import type { Reply } from '../../../src/engine/passes/index.ts';
import { answer, complete, idOf, thrown } from '../../support/scriptedRunner.ts';
import type { Coverage } from '../kit/coverage.ts';
import { type OpcodeFields, play } from '../program/handler.ts';
import type { Ledger } from './ledger.ts';
import type { Scene } from './process.ts';

/** The answer of a runner. A noisy one reports known steps again. */
export function replyTo(
  request: InvokeRequest,
  programs: Scene['programs'],
  { ledger, coverage, isNoisy }: { ledger: Ledger; coverage: Coverage; isNoisy: boolean },
): Reply {
  const { runId, workflow } = request.ctx;
  const program = programs.get(workflow);
  if (!program) throw new Error(`nobody wrote ${workflow}`);
  const outcome = play(program, request);
  const line = { level: 'info', message: `pass of ${runId}`, scope: '@root', index: 0, tsMs: 0 } as const;
  const logs = program.logs ? [line] : [];
  if (outcome.kind === 'done') return complete(outcome.value, logs);
  if (outcome.kind === 'threw') return thrown(outcome.error, logs);
  const discovered = (found: readonly OpcodeFields[]): Reply =>
    answer(206, { opcodes: found.map((each) => ({ id: idOf(each.name), ...each })), logs });
  const { opcodes } = outcome;
  for (const each of opcodes) {
    coverage.count('opcode', each.op);
    if (each.op === 'StepRun') ledger.enter(runId, each.name);
  }
  const again = isNoisy ? play(program, { ...request, steps: {} }) : undefined;
  if (again?.kind !== 'blocked') return discovered(opcodes);
  coverage.count('fault', 'steps reported again');
  const known = new Set(opcodes.map((each) => each.name));
  return discovered([...opcodes, ...again.opcodes.filter((each) => !known.has(each.name))]);
}
