import { stepError, tossError } from './handler.ts';
import { leavesOf, type Node, type Program } from './program.ts';

/** The end of an undisturbed run; undefined if time or chance decides. */
export type Prediction = { status: 'succeeded'; result: unknown } | { status: 'failed'; message: string } | undefined;

type Value = { value: unknown } | { message: string; isFatal?: true } | undefined;

/**
 * Predicts the end of a run from its program alone, without any code of the handler's player.
 * Undefined if several things may end the run, and the first one does.
 */
export function predict(program: Program, programs: ReadonlyMap<string, Program>): Prediction {
  const leaves = leavesOf(program.nodes);
  const tosses = leaves.filter((node) => node.kind === 'toss');
  const mayFail = leaves.some(
    (node) =>
      ['child', 'unknown'].includes(node.kind) || (node.kind === 'step' && (node.fails > 0 || node.fatalAt > 0)),
  );
  if (tosses.length > 1 || (tosses.length === 1 && mayFail)) return undefined;
  if (JSON.stringify(program.nodes).includes('"race"')) return undefined;
  const end = sequence(program.nodes, program, programs);
  if (!end) return undefined;
  return 'value' in end ? { status: 'succeeded', result: end.value } : { status: 'failed', message: end.message };
}

function sequence(nodes: readonly Node[], program: Program, programs: ReadonlyMap<string, Program>): Value {
  const values: unknown[] = [];
  for (const node of nodes) {
    const end = valueAt(node, program, programs);
    if (!end || !('value' in end)) return end;
    values.push(end.value);
  }
  return { value: values };
}

function valueAt(node: Node, program: Program, programs: ReadonlyMap<string, Program>): Value {
  switch (node.kind) {
    case 'step':
      return stepValue(node, program);
    case 'child':
      return childValue(node, programs);
    case 'toss':
      return tossValue(node, program);
    case 'parallel':
      return parallelValue(node.branches, program, programs);
    case 'unknown': {
      const message = 'unsupported opcode "Levitate"';
      return node.caught ? { value: { caught: message } } : { message };
    }
    case 'sleep':
    case 'sleepUntil':
      return { value: null };
    case 'emit':
    case 'score':
      return { value: node.kind };
    // The program does not tell whether an event or its deadline comes first.
    default:
      return undefined;
  }
}

function stepValue({ name, fails, fatalAt, skip, caught }: Extract<Node, { kind: 'step' }>, program: Program): Value {
  const tries = Math.min(fails + 1, program.maxAttempts);
  if (fatalAt > 0 && fatalAt <= tries) return { message: stepError(name, fatalAt).message, isFatal: true };
  if (fails < program.maxAttempts) return { value: skip ? null : name };
  const { message } = stepError(name, program.maxAttempts);
  return caught ? { value: { caught: message } } : { message };
}

function childValue(node: Extract<Node, { kind: 'child' }>, programs: ReadonlyMap<string, Program>): Value {
  const child = programs.get(node.workflow);
  const end = child && predict(child, programs);
  if (!end) return undefined;
  if (end.status === 'succeeded') return { value: end.result };
  return node.caught ? { value: { caught: end.message } } : { message: end.message };
}

/** The handler's attempts are the run's, so a toss that outlasts them ends the run. */
function tossValue({ name, times }: Extract<Node, { kind: 'toss' }>, { maxAttempts }: Program): Value {
  return times < maxAttempts ? { value: 'caught itself' } : { message: tossError(name, maxAttempts).message };
}

function parallelValue(branches: Node[][], program: Program, programs: ReadonlyMap<string, Program>): Value {
  const ends = branches.map((branch) => sequence(branch, program, programs));
  if (ends.includes(undefined)) return undefined;
  const failures = ends.filter((end) => end !== undefined && 'message' in end);
  if (failures.length > 1) return undefined;
  return failures[0] ?? { value: ends.flatMap((end) => (end && 'value' in end ? [end.value] : [])) };
}
