import { expect, it } from 'vitest';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { pass } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);
const brief = ({ logs }: Awaited<ReturnType<typeof pass>>) =>
  logs.map(({ level, scope, index, message }) => `${level} ${scope} ${index} ${message}`);

const chatty = workflow(async ({ step, log }) => {
  log.debug('start');
  await Promise.all(
    ['a', 'b'].map((id) =>
      step.run(id, async () => {
        log.info(`in ${id}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
        log.warn(`still in ${id}`);
      }),
    ),
  );
  log.error('end');
});

it('lines carry the step in which they were said, numbered per scope', async () => {
  expect(brief(await pass(chatty))).toEqual([
    'debug @root 0 start',
    'info a 0 in a',
    'info b 0 in b',
    'warn a 1 still in a',
    'warn b 1 still in b',
  ]);
});

it('lines come in the order in which they were said; where some must go, the lesser do', async () => {
  const pad = 'x'.repeat(10_000);
  const w = workflow(async ({ step, log }) => {
    for (let n = 0; n < 20; n += 1) log.info(`handler ${n} ${pad}`);
    log.error('handler error');
    await step.run('a', () => {
      for (let n = 0; n < 10; n += 1) log.debug(`step ${n} ${pad}`);
    });
  });
  const said = brief(await pass(w)).map((line) => line.replace(/ x+$/, ''));
  const handler = Array.from({ length: 15 }, (_, n) => `info @root ${n} handler ${n}`);
  const inStep = Array.from({ length: 10 }, (_, n) => `debug a ${n} step ${n}`);
  expect(said).toEqual([...handler, 'error @root 20 handler error', ...inStep]);
});

it('handler lines come again in every pass under the same number', async () => {
  const again = await pass(chatty, { memo: { a: { data: null }, b: { data: null } } });
  expect(brief(again)).toEqual(['debug @root 0 start', 'error @root 1 end']);
});

it('lines come with every status', async () => {
  const failing = workflow(({ log }) => {
    log.info('before');
    throw new Error('no');
  });
  expect((await pass(failing)).logs).toMatchObject([{ message: 'before' }]);
});

it('fields are kept as JSON, and what JSON cannot carry never fails the handler', async () => {
  const cycle: Record<string, unknown> = {};
  cycle.cycle = cycle;
  const w = workflow(({ log }) => {
    log.info('fine', { a: [1, { b: null }] });
    log.info('odd', { big: 10n, error: new TypeError('no') });
    log.info('cycle', cycle);
    log.info('huge', { text: 'x'.repeat(100_000) });
    log.info('x'.repeat(100_000));
  });
  const { status, logs } = await pass(w);
  expect(status).toBe(200);
  expect(logs[0]?.fields).toEqual({ a: [1, { b: null }] });
  expect(logs[1]?.fields).toMatchObject({ big: '10', error: { name: 'TypeError', message: 'no' } });
  expect(logs[2]?.fields).toHaveProperty('omitted');
  expect(logs[3]?.fields).toHaveProperty('omitted');
  expect(logs[4]?.message.length).toBeLessThan(20_000);
});

it('a handler that logs without end does not exhaust the memory', async () => {
  const w = workflow(({ log }) => {
    for (let n = 0; n < 200_000; n += 1) log.info('again');
  });
  const { status, logs } = await pass(w);
  expect(status).toBe(200);
  expect(logs.at(-1)?.index).toBeLessThan(10_000);
});
