import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { NonRetriableError, RetryAfterError } from '../../../sdk/src/errors.ts';
import { Leftovers } from '../../../sdk/src/execute/leftovers.ts';
import { bodyLimitBytes } from '../../../sdk/src/protocol.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);
const returning = (value: unknown) => workflow(async ({ step }) => step.run('make it', () => value));
const throwing = (cause: unknown) =>
  workflow(async ({ step }) =>
    step.run('a', () => {
      throw cause;
    }),
  );

const cyclic: { self?: unknown } = {};
cyclic.self = { cyclic };
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n += 1) value = [value];
  return value;
};

function* generate(): Generator<number> {
  yield 1;
}
class Secretive {
  readonly #secret = 5;
  get secret(): number {
    return this.#secret;
  }
}
class Point {
  readonly x = 1;
  readonly #cache = 2;
  get double(): number {
    return this.x * this.#cache;
  }
}
class Marker {}
/** Instances of user classes with the names of builtins. */
const namesakes = ['Symbol', 'Map', 'Set', 'Error', 'Promise', 'RegExp', 'BigInt'].map((name) => {
  const { [name]: Own = Marker } = { [name]: class {} };
  return Object.assign(new Own(), { name });
});
class Cache extends Map {
  readonly limit = 2;
}
const withToJson = {
  m: new Map(),
  toJSON(): unknown {
    return this;
  },
};

describe('a result that JSON cannot carry', () => {
  it.each([
    ['a bigint', { a: { b: [1n] } }, '"a.b[0]" is a bigint'],
    ['a function', { f: () => 1 }, '"f" is a function'],
    ['a symbol', Symbol('s'), 'it is a symbol'],
    ['NaN', [Number.NaN], '"[0]" is NaN'],
    ['an infinity', { n: Number.POSITIVE_INFINITY }, '"n" is Infinity'],
    ['undefined inside an array', [undefined], '"[0]" is undefined'],
    ['a Map', { m: new Map() }, '"m" is a Map'],
    ['a promise', { p: Promise.resolve() }, '"p" is a Promise (is an await missing?)'],
    ['an error', [new Error('x')], '"[0]" is an Error (throw it, or take its message)'],
    ['a Set', new Set([1]), 'it is a Set (spread it into an array)'],
    ['a response', { r: new Response('hi') }, '"r" is a Response (read its body first: await response.json())'],
    ['headers', new Headers({ a: 'b' }), 'it is a Headers (take Object.fromEntries of it)'],
    ['search parameters', new URLSearchParams('a=b'), 'it is a URLSearchParams (take Object.fromEntries of it)'],
    ['a form', new FormData(), 'it is a FormData'],
    ['a blob', [{ b: new Blob(['a']) }], '"[0].b" is a Blob (read it first: await blob.text())'],
    ['bytes', { u: new Uint8Array(2) }, '"u" is a Uint8Array (encode it as text, such as base64)'],
    ['a Buffer, which has a toJSON', Buffer.from('ab'), 'it is a Buffer (encode it as text'],
    ['a view of bytes', new DataView(new ArrayBuffer(2)), 'it is a DataView'],
    ['a generator', generate(), 'it is a Generator (spread it into an array)'],
    ['a Map of another realm', runInNewContext('new Map([[1, 2]])'), 'it is a Map (take Object.fromEntries of it)'],
    ['an error of another realm', [runInNewContext('new TypeError("x")')], '"[0]" is an Error'],
    ['a kind of Map, whatever its fields', { c: new Cache() }, '"c" is a Map'],
    ['a Set that was given fields', Object.assign(new Set([1]), { a: 1 }), 'it is a Set'],
    ['an expression', { e: /a/ }, '"e" is a RegExp'],
    ['a buffer of bytes', { b: new ArrayBuffer(2) }, '"b" is an ArrayBuffer'],
    ['a boxed symbol', [Object(Symbol('s'))], '"[0]" is a Symbol'],
    ['an iterator', { all: new Map([[1, 2]]).entries() }, '"all" is a Map Iterator (spread it into an array)'],
    ['a date that is none', { at: [new Date(Number.NaN)] }, '"at[0]" is an invalid Date'],
    ['a date that is none, of another realm', runInNewContext('new Date(NaN)'), 'it is an invalid Date'],
    ['an object without fields of its own', { p: new Secretive() }, '"p" is a Secretive (it has no fields of its own)'],
    ['a symbol as a key', { a: { [Symbol('b')]: 1, c: 2 } }, '"a" is an object with the key Symbol(b)'],
    ['a boxed NaN', [Object(Number.NaN)], '"[0]" is NaN'],
    ['a boxed bigint', [Object(1n)], '"[0]" is a BigInt'],
    ['a value that a toJSON returns', { a: { toJSON: () => ({ b: new Map() }) } }, '"a.b" is a Map'],
    ['a Date that a toJSON returns', { toJSON: () => new Date(0) }, 'it is a Date'],
    ['an object whose toJSON returns one with toJSON', withToJson, '"m" is a Map'],
    ['a cycle', cyclic, 'it refers to itself'],
    ['ten thousand levels', deep(10_000), 'it is nested deeper than'],
    ['more than a mebibyte', 'x'.repeat(bodyLimitBytes), 'step "make it" has'],
  ])('%s fails the step for good and names it', async (_name, value, reason) => {
    const { opcodes, status } = await pass(returning(value));
    expect(status).toBe(206);
    expect(opcodes).toMatchObject([
      { op: 'StepRun', name: 'make it', retriable: false, error: { name: 'NotJsonError' } },
    ]);
    expect(JSON.stringify(opcodes)).toContain(JSON.stringify(reason).slice(1, -1));
    expect(JSON.stringify(opcodes)).toContain('make it');
  });

  it('fails the input of a step, the data of an event and the result of the workflow alike', async () => {
    const input = await pass(workflow(async ({ step }) => step.run('a', { input: 1n }, () => 1)));
    const data = await pass(workflow(async ({ step }) => step.emit('a', { name: 'x', data: { big: 1n } })));
    for (const { opcodes } of [input, data]) {
      expect(opcodes).toMatchObject([{ op: 'StepRun', name: 'a', retriable: false, error: { name: 'NotJsonError' } }]);
    }
    const result = await pass(workflow(() => ({ big: 1n })));
    expect(result).toMatchObject({ status: 500, retriable: false, error: { name: 'NotJsonError' } });
    expect(result.error?.message).toContain('the result of workflow "w" cannot be saved');
    expect((await pass(workflow(() => 'x'.repeat(bodyLimitBytes)))).status).toBe(500);
  });
});

describe('a result that JSON can carry', () => {
  it.each([
    ['null', null, null],
    ['nothing', undefined, undefined],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an absent property', { a: undefined, b: 1 }, { b: 1 }],
    ['U+0000 and a lone surrogate', '\u0000\ud800', '\u0000\ud800'],
    ['four hundred levels', deep(400), deep(400)],
    ['an instance of a class, by its fields', new Point(), { x: 1 }],
    ['an instance of a class without any', new Marker(), {}],
    ['instances of classes called as builtins are', namesakes, namesakes.map(({ name }) => ({ name }))],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['objects with toJSON', { u: new URL('http://x/y'), t: { toJSON: () => 'said' } }, { u: 'http://x/y', t: 'said' }],
    ['boxed values', [Object('a'), Object(1), Object(true)], ['a', 1, true]],
    ['minus zero, which is zero', [-0], [0]],
    ['the items of an array, and no more', 'abc'.match(/b/), ['b']],
    ['the same object twice', [cyclic.constructor.name, { a: [] }], ['Object', { a: [] }]],
  ])('is reported as it is: %s', async (_name, value, expected) => {
    expect((await pass(returning(value))).opcodes[0]).toMatchObject(expected === undefined ? {} : { data: expected });
  });

  it('keeps a __proto__ key', async () => {
    const { opcodes } = await pass(returning(JSON.parse('{"__proto__":{"a":1}}')));
    expect(JSON.stringify(opcodes)).toContain('"data":{"__proto__":{"a":1}}');
  });

  it('comes back as null where a step returned nothing', async () => {
    const w = workflow(async ({ step }) => [await step.run('a', () => {})]);
    expect((await play(w)).answer.data).toEqual([null]);
  });
});

describe('a step that throws', () => {
  it('is reported with name, message and stack, to be retried', async () => {
    const [opcode] = (await pass(throwing(new RangeError('no')))).opcodes;
    expect(opcode).toMatchObject({ op: 'StepRun', error: { name: 'RangeError', message: 'no' } });
    expect(opcode).not.toHaveProperty('retriable');
    expect(opcode).not.toHaveProperty('data');
    expect(opcode?.op === 'StepRun' && opcode.error?.stack).toContain('values.test.ts');
  });

  it('a NonRetriableError is not to be retried', async () => {
    expect((await pass(throwing(new NonRetriableError('no')))).opcodes).toMatchObject([
      { retriable: false, error: { name: 'NonRetriableError', message: 'no' } },
    ]);
  });

  it('a RetryAfterError says when to try again, by a delay or a date', async () => {
    const waits = await Promise.all(
      [1500, '2m' as const, new Date(0), -1, new Date(Date.now() + 60_000)].map(async (after) => {
        const [opcode] = (await pass(throwing(new RetryAfterError('later', after)))).opcodes;
        return opcode?.op === 'StepRun' ? (opcode.retryAfterMs ?? -1) : -1;
      }),
    );
    expect(waits.slice(0, 4)).toEqual([1500, 120_000, 0, 0]);
    expect(waits[4]).toBeGreaterThan(50_000);
    expect(waits[4]).toBeLessThanOrEqual(60_000);
  });

  it('a RetryAfterError without a finite number leaves the next attempt to the retry policy', async () => {
    const w = workflow(async ({ step }) =>
      step.run('a', () => {
        throw new RetryAfterError('later', Number('Wed, 21 Oct 2026 07:28:00 GMT'));
      }),
    );
    const [opcode] = (await pass(w)).opcodes;
    expect(opcode).toMatchObject({ error: { name: 'TypeError' } });
    expect(opcode).not.toHaveProperty('retriable');
    expect(opcode).not.toHaveProperty('retryAfterMs');
  });

  it('may throw anything', async () => {
    const thrown = ['text', 42, null, undefined, { a: 1 }, 1n, Symbol('s')];
    const messages = await Promise.all(
      thrown.map(async (cause) => {
        const [opcode] = (await pass(throwing(cause))).opcodes;
        return opcode?.op === 'StepRun' ? opcode.error?.message : undefined;
      }),
    );
    expect(messages).toEqual([
      'text',
      'a thrown number: 42',
      'a thrown object: null',
      'a thrown undefined: undefined',
      'a thrown object: {"a":1}',
      'a thrown bigint',
      'a thrown symbol',
    ]);
  });

  it('keeps its name and message when it is of another realm, like errors of Node inside a sandbox of a test runner', async () => {
    const foreign: unknown = runInNewContext(
      'Object.assign(new TypeError("broken", { cause: new RangeError("within") }), { code: "E1" })',
    );
    const [opcode] = (await pass(throwing(foreign))).opcodes;
    expect(opcode).toMatchObject({ error: { name: 'TypeError', message: 'broken' } });
    expect(opcode?.op === 'StepRun' && opcode.error?.stack).toMatch(
      /TypeError: broken[\s\S]*Caused by: RangeError: within/,
    );
  });

  it('includes its causes, and a huge message does not exceed the limit of the answer', async () => {
    const [caused] = (await pass(throwing(new Error('outer', { cause: new Error('inner') })))).opcodes;
    expect(caused?.op === 'StepRun' && caused.error?.stack).toMatch(/Caused by: Error: inner/);
    const [huge] = (await pass(throwing(new Error('x'.repeat(3_000_000))))).opcodes;
    expect(huge?.op === 'StepRun' && huge.error?.message.length).toBeLessThan(20_000);
  });
});

describe('an answer', () => {
  it('never exceeds 1 MiB: what does not fit is reported by the next passes, without running again', async () => {
    const ran: number[] = [];
    const w = workflow(async ({ step }) => {
      const parts = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          step.run(`part ${n}`, () => {
            ran.push(n);
            return 'x'.repeat(200_000);
          }),
        ),
      );
      return parts.length;
    });
    const leftovers = new Leftovers();
    const first = await pass(w, { leftovers });
    expect(first.bytes).toBeLessThanOrEqual(bodyLimitBytes);
    expect(first.opcodes).toHaveLength(5);
    const { answer, passes } = await play(w, { leftovers: new Leftovers() });
    expect(passes.map(({ length }) => length)).toEqual([5, 5, 2, 0]);
    expect(answer.data).toBe(12);
    expect(ran).toHaveLength(24);
  });

  it('holds logs of at most what room there is; lines of steps are cut last', async () => {
    const w = workflow(async ({ step, log }) => {
      for (let n = 0; n < 5_000; n += 1) log.info(`root ${'x'.repeat(200)}`, { n });
      await step.run('a', () => {
        log.info('from the step');
        return 'x'.repeat(1_000_000);
      });
    });
    const { bytes, logs } = await pass(w);
    expect(bytes).toBeLessThanOrEqual(bodyLimitBytes);
    expect(logs.at(-1)).toMatchObject({ message: 'from the step', scope: 'a' });
    expect(logs.length).toBeGreaterThan(10);
  });

  it('bounds what leftovers hold, forgetting the oldest run first', () => {
    const leftovers = new Leftovers(100);
    const report = (id: string) => ({ kind: 'StepRun', id, name: id, text: '{}', bytes: 60, isReady: true }) as const;
    leftovers.keep('r1', [report('a')]);
    leftovers.keep('r2', [report('b')]);
    expect(leftovers.take('r1', 'a')).toBeUndefined();
    expect(leftovers.take('r2', 'b')).toMatchObject({ id: 'b' });
    expect(leftovers.take('r2', 'b')).toBeUndefined();
  });
});
