import { bodyLimitBytes, type InvokeRequest, type MemoEntry, type Opcode } from '@holdfast/sdk/protocol';
import { idOf, memoOf } from '../../../support/scriptedRunner.ts';

/** An answer as a runner puts it on the wire, over either transport. `body` is JSON text. */
export interface Said {
  status: number;
  body: string;
}

/** The expected end of a run: its status and, if given, its error's message or its result. */
export interface End {
  status: 'succeeded' | 'failed';
  error?: string;
  result?: unknown;
}

/** An answer that a runner may give, and the expected reaction of the service. */
export interface Saying {
  name: string;
  /** `nth` counts the invokes of the run, from 1. */
  say: (request: InvokeRequest, nth: number) => Said;
  end: End;
}

export const done = (data: unknown): Said => ({ status: 200, body: JSON.stringify({ data, logs: [] }) });
export const found = (...opcodes: unknown[]): Said => ({ status: 206, body: JSON.stringify({ opcodes, logs: [] }) });
export const always =
  (status: number, body: string): Saying['say'] =>
  () => ({ status, body });

/** An opcode, with the fields that its kind ought to have or not. */
export const opcode = (op: Opcode['op'] | 'Levitate', name: string, fields: object = {}) => ({
  op,
  id: idOf(name),
  name,
  ...fields,
});

const settled = (memo: MemoEntry | undefined): boolean => memo !== undefined && !('pending' in memo);

/** A handler that reports one step and returns its result or its error. */
export const hearing =
  (made: { name: string }): Saying['say'] =>
  (request) => {
    const memo = memoOf(request, made.name);
    return settled(memo) ? done(memo) : found(...(memo ? [] : [made]));
  };

const noAnswer: End = { status: 'failed', error: 'runner did not answer' };
const failedWith = (error: string): End => ({ status: 'failed', error });
const heard = (result: unknown): End => ({ status: 'succeeded', result });

const padded = (bytes: number): string => {
  const empty = JSON.stringify({ data: '', logs: [] });
  return JSON.stringify({ data: 'x'.repeat(bytes - empty.length), logs: [] });
};
const nested = (levels: number): string => `{"data":${'['.repeat(levels)}${']'.repeat(levels)},"logs":[]}`;

const statuses: Saying[] = [
  ...[204, 302, 599].map((status) => ({ name: `status ${status}`, say: always(status, '{}'), end: noAnswer })),
  { name: 'status 418', say: always(418, '{"error":"short and stout"}'), end: failedWith('short and stout') },
  {
    name: 'status 404 without a word',
    say: always(404, '[]'),
    end: failedWith('runner rejected the request with status 404'),
  },
];

const bodies: Saying[] = [
  ...['[1]', 'null', '"text"', '7'].map((body) => ({
    name: `the body ${body}`,
    say: always(200, body),
    end: noAnswer,
  })),
  { name: 'status 206 without opcodes', say: always(206, '{}'), end: noAnswer },
  { name: 'opcodes that are no list', say: always(206, '{"opcodes":{}}'), end: noAnswer },
  { name: 'status 500 without an error', say: always(500, '{}'), end: noAnswer },
  { name: 'an error without a message', say: always(500, '{"error":{"message":5}}'), end: noAnswer },
  { name: 'an error that is a text', say: always(500, '{"error":"boom"}'), end: failedWith('boom') },
  {
    name: 'a body nested 600 levels deep',
    say: always(200, nested(600)),
    end: failedWith('runner answer is nested deeper than 500 levels'),
  },
  { name: 'a body of exactly 1 MiB', say: always(200, padded(bodyLimitBytes)), end: { status: 'succeeded' } },
  {
    name: 'a body of one byte more',
    say: always(200, padded(bodyLimitBytes + 1)),
    end: failedWith('runner answer exceeds 1 MiB'),
  },
  { name: 'logs that are none', say: always(200, '{"data":1,"logs":"x"}'), end: heard(1) },
  { name: 'log lines that are none', say: always(200, '{"data":1,"logs":[null,5,{},{"index":-1}]}'), end: heard(1) },
];

/** Opcodes of which no step can be made fail the pass. */
const heads: Saying[] = [
  ['null', null, 'opcode 0 is not an object'] as const,
  ['without op', { id: 'a', name: 'a' }, 'opcode 0 has no op'] as const,
  ['without id', { op: 'StepRun', name: 'a' }, 'opcode 0 has no usable id'] as const,
  ['with a number for an id', { op: 'StepRun', id: 7, name: 'a' }, 'opcode 0 has no usable id'] as const,
  ['without name', { op: 'StepRun', id: 'a' }, 'opcode 0 has no name'] as const,
  [
    'with a name of 257 characters',
    opcode('StepRun', 'x'.repeat(257)),
    'opcode 0: a step name may be at most 256 characters long',
  ] as const,
  ['with U+0000 in its name', opcode('StepRun', 'a\0b'), 'opcode 0: unsupported character in the step name'] as const,
].map(([what, value, error]) => ({ name: `an opcode ${what}`, say: () => found(value), end: failedWith(error) }));

const many = (count: number): Said => found(...Array.from({ length: count }, (_, n) => opcode('StepRun', `s${n}`)));

const counts: Saying[] = [
  {
    name: 'no step, with none pending',
    say: () => found(),
    end: failedWith('runner reported no step, and none is pending'),
  },
  {
    name: '1,000 opcodes',
    say: (request) => (memoOf(request, 's999') ? done(Object.keys(request.steps).length) : many(1_000)),
    end: heard(1_000),
  },
  {
    name: '10,000 opcodes',
    say: () => many(10_000),
    end: failedWith('runner answer holds 10000 opcodes, the limit is 1000'),
  },
];

export const sayings: Saying[] = [...statuses, ...bodies, ...heads, ...counts];
