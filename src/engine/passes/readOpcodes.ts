import { isLongerThan, maxNameLength } from '../codePoints.ts';
import { hasUnsupportedCharacter, type JsonDocument } from '../json/index.ts';
import { execute, type OpcodeEffect, type OpcodeInput } from './opcodes/index.ts';
import type { Pass } from './pass.ts';
import { isObject } from './readAnswer.ts';

/** The effects of an answer. `isCut`: steps beyond the ceiling of the run were left out. */
interface Effects {
  effects: OpcodeEffect[];
  isCut: boolean;
}

/**
 * Executes the opcodes of an answer, each step once, in order. `refused` says why the answer is
 * rejected. Opcodes of settled or parked steps are repeats, and change nothing (7.3).
 */
export function readOpcodes(
  pass: Pass,
  document: JsonDocument,
  setting: Pick<OpcodeInput, 'elapsedMs' | 'retry' | 'limits' | 'targets'>,
): Effects | { refused: string } {
  const opcodes = isObject(document.value) ? document.value['opcodes'] : undefined;
  if (!Array.isArray(opcodes)) return { refused: 'runner answer holds no opcodes' };
  const effects: OpcodeEffect[] = [];
  const seen = new Set<string>();
  let isCut = false;
  const numbersOf = pass.started.numbering(pass.memo);
  for (const [position, value] of opcodes.entries()) {
    const head = readHead(value, position);
    if (typeof head === 'string') return { refused: head };
    if (seen.has(head.stepId) || !pass.memo.accepts(head.stepId, pass.dbNow)) continue;
    seen.add(head.stepId);
    const numbers = numbersOf(head.stepId);
    if (!pass.memo.get(head.stepId) && numbers.index >= setting.limits.stepsPerRun) {
      isCut = true;
      continue;
    }
    effects.push(
      execute(
        {
          op: head.op,
          stepId: head.stepId,
          name: head.name,
          fields: head.fields,
          index: numbers.index,
          attempt: numbers.attempt,
          elapsedMs: setting.elapsedMs,
          retry: setting.retry,
          limits: setting.limits,
          targets: setting.targets,
          raw: (field) => document.raw('opcodes', position, field),
        },
        pass.app,
      ),
    );
  }
  return { effects, isCut };
}

const maxOp = 64;

interface Head {
  op: string;
  stepId: string;
  name: string;
  fields: Record<string, unknown>;
}

/** The fields that attribute an opcode to a step, or the reason why they cannot. */
function readHead(fields: unknown, position: number): Head | string {
  if (!isObject(fields)) return `opcode ${position} is not an object`;
  const { id, name, op } = fields;
  if (typeof op !== 'string') return `opcode ${position} has no op`;
  if (typeof id !== 'string') return `opcode ${position} has no usable id`;
  if (typeof name !== 'string') return `opcode ${position} has no name`;
  const fault = stepFault(id, name);
  return fault === undefined ? { op: storable(op), stepId: id, name, fields } : `opcode ${position}${fault}`;
}

/** Why a step cannot have this id and name, as the end of a sentence; undefined: it can. */
export function stepFault(id: string, name: string): string | undefined {
  if (id === '' || id.length > maxNameLength) return ' has no usable id';
  if (name === '') return ' has no name';
  if (isLongerThan(name, maxNameLength)) return `: a step name may be at most ${maxNameLength} characters long`;
  return hasUnsupportedCharacter(name) || hasUnsupportedCharacter(id)
    ? ': unsupported character in the step name'
    : undefined;
}

/** Cuts an unknown opcode, which may be any text, to the part that a row can store. */
const storable = (op: string): string => op.slice(0, maxOp).replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
