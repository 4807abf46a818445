import { describe, expect, it } from 'vitest';
import { HoldfastError } from '../../../src/engine/errors.ts';
import type { Definition } from '../../../src/engine/model/index.ts';
import { parseRegistration } from '../../../src/engine/registry/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { completed } from '../../support/completed.ts';

const { limits } = defaultEngineSettings;

const parse = (body: unknown, ceilings = limits) => completed(parseRegistration(body, ceilings));

const withWorkflow = (fields: object): object => ({ app: 'shop', workflows: [{ name: 'x', ...fields }] });

function definition(fields: object): Definition {
  const [only] = parse(withWorkflow(fields)).definitions;
  if (!only) throw new Error('nothing was parsed');
  return only;
}

/** The message of the refusal. */
function refusal(body: unknown, ceilings = limits): string {
  try {
    parse(body, ceilings);
  } catch (error) {
    if (error instanceof HoldfastError && error.kind === 'invalid') return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a registration', () => {
  it('reads the metadata of a runner', () => {
    const metadata = { runtime: 'node', language: 'ts', framework: 'f', sdkName: 's', version: '1', region: 'eu' };
    expect(parse({ app: 'shop', runner: 'r', url: 'http://x', maxInFlight: 5, ...metadata, workflows: [] })).toEqual({
      app: 'shop',
      runner: 'r',
      url: 'http://x',
      maxInFlight: 5,
      metadata,
      definitions: [],
    });
  });

  it('ignores unknown fields, and reads null as absent', () => {
    const parsed = parse({
      app: 'a',
      type: 'hello',
      runner: null,
      region: null,
      x: 1,
      workflows: [{ name: 'w', y: 2, retry: null, steps: null, concurrency: null, triggers: null }],
    });
    expect(parsed).toMatchObject({ runner: undefined, maxInFlight: 100 });
    expect(parsed.definitions).toMatchObject([{ name: 'w', flowControl: undefined, triggers: undefined }]);
  });

  it.each([
    [{ concurrency: { limit: 1, key: null } }, { concurrency: { limit: 1 } }],
    [{ singleton: { key: null, mode: null } }, { singleton: {} }],
    [{ idempotency: { key: 'id', periodMs: null } }, { idempotency: { key: 'id' } }],
    [{ cap: { maxCost: null, maxTokens: 5 } }, { cap: { maxTokens: 5 } }],
    [
      { budget: { maxCost: 2, maxTokens: null, windowMs: 1, warnAtPct: null } },
      { budget: { maxCost: 2, windowMs: 1 } },
    ],
  ])('reads null as absent in a policy: %j', (policies, flowControl) => {
    const { definitions } = parse({ app: 'a', workflows: [{ name: 'w', ...policies }] });
    expect(definitions[0]?.flowControl).toStrictEqual(flowControl);
  });

  it.each([
    [undefined, 'registration must be an object'],
    [[], 'registration must be an object'],
    ['text', 'registration must be an object'],
    [{ workflows: [] }, 'app must be a non-empty string'],
    [{ app: '', workflows: [] }, 'app must be a non-empty string'],
    [{ app: ' ', workflows: [] }, 'app must be a non-empty string'],
    [{ app: 7, workflows: [] }, 'app must be a non-empty string'],
    [{ app: 'a\n', workflows: [] }, 'app must not contain control characters'],
    [{ app: 'a\ud800', workflows: [] }, 'app must not contain control characters'],
    [{ app: '😀'.repeat(257), workflows: [] }, 'app must be at most 256 characters long'],
    [{ app: 'a', runner: 'r'.repeat(257), workflows: [] }, 'runner must be at most 256 characters long'],
    [{ app: 'a', runner: 7, workflows: [] }, 'runner must be a non-empty string'],
    [{ app: 'a', region: {}, workflows: [] }, 'region must be a string'],
    [{ app: 'a', runtime: 'x'.repeat(257), workflows: [] }, 'runtime must be at most 256 characters long'],
    [{ app: 'a', url: 7, workflows: [] }, 'url must be a string'],
    [{ app: 'a', maxInFlight: 0, workflows: [] }, 'maxInFlight must be an integer from 1 to 100000'],
    [{ app: 'a', maxInFlight: 1.5, workflows: [] }, 'maxInFlight must be an integer from 1 to 100000'],
    [{ app: 'a' }, 'workflows must be an array'],
    [{ app: 'a', workflows: {} }, 'workflows must be an array'],
    [{ app: 'a', workflows: ['w'] }, 'workflows[0] must be an object'],
    [{ app: 'a', workflows: [{}] }, 'workflows[0].name must be a non-empty string'],
    [{ app: 'a', workflows: [{ name: 'w\u0007' }] }, 'workflows[0].name must not contain control characters'],
    [{ app: 'a', workflows: [{ name: 'x' }, { name: 'x' }] }, 'workflow "x": name is registered twice'],
    [
      { app: 'a', workflows: Array.from({ length: 1001 }, (_, i) => ({ name: `w${i}` })) },
      'workflows must not be more than 1000',
    ],
    [
      { app: 'a', protocolVersion: 2, workflows: [] },
      'protocolVersion 2 is not supported: this service speaks version 1',
    ],
    [
      { app: 'a', protocolVersion: '1', workflows: [] },
      'protocolVersion "1" is not supported: this service speaks version 1',
    ],
  ])('is refused with a reason: %#', (body, reason) => {
    expect(refusal(body)).toBe(reason);
  });

  it('has ceilings on its triggers, which are settings', () => {
    const triggered = (...counts: number[]) => ({
      app: 'a',
      workflows: counts.map((length, n) => ({ name: `w${n}`, triggers: Array(length).fill({ event: 'e' }) })),
    });
    expect(parse(triggered(...Array(10).fill(100))).definitions).toHaveLength(10);
    expect(refusal(triggered(3, 101))).toBe('workflow "w1": triggers must not be more than 100');
    expect(refusal(triggered(...Array(10).fill(100), 1))).toBe(
      'workflows must not have more than 1000 triggers together',
    );
    const ceilings = { ...limits, triggersPerWorkflow: 2, triggersPerRegistration: 3 };
    expect(parse(triggered(2, 1), ceilings).definitions).toHaveLength(2);
    expect(refusal(triggered(3), ceilings)).toBe('workflow "w0": triggers must not be more than 2');
    expect(refusal(triggered(2, 2), ceilings)).toBe('workflows must not have more than 3 triggers together');
  });

  it('is read in steps, one for each guard and schedule', () => {
    const triggers = [{ event: 'e', if: 'true' }, { event: 'e', if: 'false' }, { cron: '0 0 * * *' }];
    const steps = parseRegistration(
      {
        app: 'a',
        workflows: [
          { name: 'v', triggers },
          { name: 'w', triggers },
        ],
      },
      limits,
    );
    let count = 0;
    while (!steps.next().done) count += 1;
    expect(count).toBe(8);
  });

  it('may have names of 256 code points, a thousand workflows, and the protocol version', () => {
    const name = '😀'.repeat(256);
    const workflows = [{ name }, ...Array.from({ length: 999 }, (_, index) => ({ name: `w${index}` }))];
    expect(parse({ app: name, runner: name, protocolVersion: 1, workflows }).definitions).toHaveLength(1000);
  });
});

describe('a definition', () => {
  it('has one attempt, exponential backoff from 1 s to 5 min, and no policies unless it says so', () => {
    expect(definition({})).toEqual({
      name: 'x',
      app: 'shop',
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
      retry: { maxAttempts: 1, backoff: 'exponential', initialDelayMs: 1000, maxDelayMs: 300_000 },
      onFailure: false,
      triggers: undefined,
      flowControl: undefined,
      steps: undefined,
    });
    expect(definition({ triggers: [], steps: [] })).toMatchObject({ triggers: undefined, steps: undefined });
  });

  it('keeps triggers, retry, policies and steps as declared', () => {
    const fields = {
      triggers: [
        { event: 'a' },
        { event: 'a*', if: 'data.x == 1' },
        { event: '*' },
        { cron: 'CRON_TZ=Europe/Paris 0 9 * * 1-5' },
      ],
      retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 0, maxDelayMs: 0 },
      onFailure: true,
      steps: [{ name: 's' }, { name: 't', description: 'd', hidden: false }],
    };
    const flowControl = {
      concurrency: { limit: 1, key: 'a.b.c' },
      throttle: { limit: 2, perMs: 3 },
      rateLimit: { limit: 2, perMs: 3, key: 'k' },
      debounce: { periodMs: 4 },
      batch: { maxSize: 5, timeoutMs: 6 },
      priority: { shiftMs: -7 },
      singleton: { mode: 'skip', key: 'k' },
      idempotency: {},
      cap: { maxTokens: 8 },
      budget: { maxCost: 0.5, windowMs: 9, warnAtPct: 80 },
      tokenThrottle: { tokens: 10, perMs: 11 },
    };
    expect(definition({ ...fields, ...flowControl })).toMatchObject({ ...fields, flowControl });
  });

  it('has a version that depends on its content and not on its notation', () => {
    const base = definition({ concurrency: { limit: 1, key: 'k' }, steps: [{ name: 's', hidden: true }] }).version;
    expect(
      definition({ steps: [{ hidden: true, name: 's' }], concurrency: { key: 'k', limit: 1 }, ignored: 1, retry: {} })
        .version,
    ).toBe(base);
    const others = [
      definition({ concurrency: { limit: 2, key: 'k' }, steps: [{ name: 's', hidden: true }] }),
      definition({ concurrency: { limit: 1, key: 'k' } }),
      definition({ onFailure: true }),
      definition({ retry: { maxAttempts: 2 } }),
      definition({ triggers: [{ event: 'a' }, { event: 'b' }] }),
      definition({ triggers: [{ event: 'b' }, { event: 'a' }] }),
    ];
    expect(new Set([base, ...others.map((each) => each.version)]).size).toBe(7);
  });

  it.each([
    [{ triggers: {} }, 'triggers must be an array'],
    [{ triggers: [null] }, 'triggers[0] must be an object'],
    [{ triggers: [{}] }, 'triggers[0] must set exactly one of event and cron'],
    [
      { triggers: [{ event: 'a' }, { event: 'a', cron: '* * * * *' }] },
      'triggers[1] must set exactly one of event and cron',
    ],
    [{ triggers: [{ event: '' }] }, 'triggers[0].event must be a non-empty string'],
    [{ triggers: [{ event: 'a' }, { event: 'a', iff: 'data.a' }] }, 'triggers[1].iff is unknown'],
    [{ triggers: [{ cron: '* * * * *', timezone: 'Europe/Berlin' }] }, 'triggers[0].timezone is unknown'],
    [{ triggers: [{ evnt: 'a' }] }, 'triggers[0].evnt is unknown'],
    [{ triggers: [['a']] }, 'triggers[0].0 is unknown'],
    [{ triggers: [{ event: 'a*b' }] }, 'triggers[0].event may have a * at its end only'],
    [{ triggers: [{ event: 'a**' }] }, 'triggers[0].event may have a * at its end only'],
    [{ triggers: [{ event: 'a'.repeat(257) }] }, 'triggers[0].event must be at most 256 characters long'],
    [{ triggers: [{ event: 'a', if: 7 }] }, 'triggers[0].if must be a string'],
    [{ triggers: [{ event: 'a', if: 'data.(' }] }, /^workflow "x": triggers\[0\]\.if is refused: CEL does not parse: /],
    [{ triggers: [{ event: 'a', if: '1' }] }, 'triggers[0].if is refused: CEL must be a condition, not of type int'],
    [{ triggers: [{ cron: '* * * * *', if: 'true' }] }, 'triggers[0].if is for events only'],
    [{ triggers: [{ cron: 7 }] }, 'triggers[0].cron must be a string'],
    [
      { triggers: [{ cron: '* * * *' }] },
      'triggers[0].cron must have five or six fields, or be a name such as @daily; it has 4',
    ],
    [{ triggers: [{ cron: '99 * * * *' }] }, 'triggers[0].cron has a bad minute field: 99'],
    [{ triggers: [{ cron: 'CRON_TZ=X/Y * * * * *' }] }, 'triggers[0].cron names an unknown time zone: X/Y'],
    [{ retry: 3 }, 'retry must be an object'],
    [{ retry: [] }, 'retry must be an object'],
    [{ retry: { maxAttempts: 0 } }, 'retry.maxAttempts must be an integer from 1 to 2147483647'],
    [{ retry: { maxAttempts: 1.5 } }, 'retry.maxAttempts must be an integer from 1 to 2147483647'],
    [{ retry: { backoff: 'random' } }, 'retry.backoff must be one of fixed, linear, exponential'],
    [{ retry: { initialDelayMs: -1 } }, 'retry.initialDelayMs must be an integer from 0 to 31536000000'],
    [{ retry: { maxDelayMs: '5' } }, 'retry.maxDelayMs must be an integer from 0 to 31536000000'],
    [{ onFailure: 'yes' }, 'onFailure must be a boolean'],
    [{ steps: 'a' }, 'steps must be an array'],
    [{ steps: [1] }, 'steps[0] must be an object'],
    [{ steps: [{ name: 's' }, {}] }, 'steps[1].name must be a non-empty string'],
    [{ steps: [{ name: 's', description: 1 }] }, 'steps[0].description must be a string'],
    [{ steps: [{ name: 's', description: '\0' }] }, 'steps[0].description has an unsupported character'],
    [
      { triggers: [{ event: 'a', if: 'data.a == "\ud800"' }] },
      /triggers\[0\]\.if is refused: .* unsupported character/,
    ],
    [{ concurrency: { limit: 1, key: 'a\0' } }, 'concurrency.key has an unsupported character'],
    [{ steps: [{ name: 's', hidden: 1 }] }, 'steps[0].hidden must be a boolean'],
    [{ concurrency: 1 }, 'concurrency must be an object'],
    [{ concurrency: [] }, 'concurrency must be an object'],
    [{ concurrency: {} }, 'concurrency.limit must be an integer from 1 to 2147483647'],
    [{ concurrency: { limit: 0 } }, 'concurrency.limit must be an integer from 1 to 2147483647'],
    [{ concurrency: { limit: -1 } }, 'concurrency.limit must be an integer from 1 to 2147483647'],
    [{ concurrency: { limit: 1.5 } }, 'concurrency.limit must be an integer from 1 to 2147483647'],
    [{ concurrency: { limit: '1' } }, 'concurrency.limit must be an integer from 1 to 2147483647'],
    [{ concurrency: { limit: 2 ** 31 } }, 'concurrency.limit must be an integer from 1 to 2147483647'],
    [{ concurrency: { limit: 1, max: 2 } }, 'concurrency.max is unknown'],
    [{ concurency: { limit: 1 } }, 'concurency is unknown'],
    [{ retry: { maxAtempts: 3 } }, 'retry.maxAtempts is unknown'],
    [{ concurrency: { limit: 1, key: 7 } }, 'concurrency.key must be a dotted path of field names'],
    [
      { concurrency: { limit: 1, key: 'a..b' } },
      'concurrency.key must be a dotted path of field names, none of them empty',
    ],
    [{ throttle: { limit: 1 } }, /throttle\.perMs must be a positive integer of milliseconds/],
    [{ throttle: { limit: 1, perMs: 0 } }, /throttle\.perMs must be a positive integer of milliseconds/],
    [{ rateLimit: { limit: 1, perMs: 1e300 } }, /rateLimit\.perMs must be a positive integer of milliseconds/],
    [{ debounce: {} }, /debounce\.periodMs must be/],
    [{ batch: { maxSize: 0, timeoutMs: 1 } }, 'batch.maxSize must be an integer from 1 to 2147483647'],
    [{ batch: { maxSize: 1 } }, /batch\.timeoutMs must be/],
    [{ priority: {} }, /priority\.shiftMs must be an integer of milliseconds/],
    [{ priority: { shiftMs: 1, key: 'k' } }, 'priority.key is unknown'],
    [{ singleton: { mode: 'queue' } }, 'singleton.mode must be skip or cancel'],
    [{ singleton: true }, 'singleton must be an object'],
    [{ idempotency: { key: '' } }, /idempotency\.key must be a dotted path/],
    [{ idempotency: { key: '.a' } }, /idempotency\.key must be a dotted path/],
    [{ idempotency: { key: 'a.' } }, /idempotency\.key must be a dotted path/],
    [{ idempotency: { periodMs: 0 } }, /idempotency\.periodMs must be/],
    [{ cap: {} }, 'cap must set maxCost or maxTokens'],
    [{ cap: { maxCost: null } }, 'cap must set maxCost or maxTokens'],
    [{ cap: { maxCost: 0 } }, 'cap.maxCost must be a positive number'],
    [{ cap: { maxTokens: 0.5 } }, 'cap.maxTokens must be an integer from 1 to 9007199254740991'],
    [{ budget: { windowMs: 1 } }, 'budget must set maxCost or maxTokens'],
    [{ budget: { maxCost: 1 } }, /budget\.windowMs must be/],
    [{ budget: { maxCost: 1, windowMs: 1, warnAtPct: 100 } }, 'budget.warnAtPct must be a number from 1 to 99'],
    [{ tokenThrottle: { tokens: 0, perMs: 1 } }, 'tokenThrottle.tokens must be an integer from 1 to 9007199254740991'],
    [JSON.parse('{"cap": {"maxCost": 1, "__proto__": 2}}'), 'cap.__proto__ is unknown'],
  ])('is refused, naming workflow and field: %#', (fields, reason) => {
    const message = refusal(withWorkflow(fields));
    if (reason instanceof RegExp) expect(message).toMatch(reason);
    else expect(message).toBe(`workflow "x": ${reason}`);
  });
});

describe('limits of runs', () => {
  it('are read, and null is absent', () => {
    const cancelOn = [{ event: 'order.cancelled', if: 'data.id == run.input.id' }, { event: 'stop.*' }];
    expect(definition({ maxDuration: 60_000, cancelOn })).toMatchObject({ maxDurationMs: 60_000, cancelOn });
    const absent = { maxDurationMs: undefined, cancelOn: undefined };
    expect(definition({ maxDuration: null, cancelOn: null })).toMatchObject(absent);
    expect(definition({ cancelOn: [] })).toMatchObject(absent);
  });

  it('leave the version of a definition without them as it was', () => {
    expect(definition({ maxDuration: null }).version).toBe(definition({}).version);
    expect(definition({ maxDuration: 1 }).version).not.toBe(definition({}).version);
  });

  it.each([
    [{ maxDuration: 0 }, 'maxDuration must be a positive integer of milliseconds, at most 3153600000000'],
    [{ maxDuration: '1h' }, 'maxDuration must be a positive integer'],
    [{ cancelOn: {} }, 'cancelOn must be an array'],
    [{ cancelOn: ['x'] }, 'cancelOn[0] must be an object'],
    [{ cancelOn: [{ event: 'x' }, { cron: '* * * * *' }] }, 'cancelOn[1].cron is unknown'],
    [{ cancelOn: [{ if: 'true' }] }, 'cancelOn[0].event must be a non-empty string'],
    [{ cancelOn: [{ event: 'a*b' }] }, 'cancelOn[0].event may have a * at its end only'],
    [{ cancelOn: [{ event: 'x', if: 'runs.input' }] }, 'cancelOn[0].if is refused: CEL is not valid'],
    [{ cancelOn: Array.from({ length: 101 }, () => ({ event: 'x' })) }, 'cancelOn must not be more than 100'],
    [{ triggers: [{ event: 'x', if: 'run.input.id == 1' }] }, 'triggers[0].if is refused: CEL is not valid'],
  ])('%j are refused', (fields, reason) => {
    expect(refusal(withWorkflow(fields))).toContain(`workflow "x": ${reason}`);
  });
});
