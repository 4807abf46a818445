import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventType, Holdfast, type Workflow } from '../../sdk/src/index.ts';
import { type TestRun, testRun } from '../../sdk/src/testing/index.ts';
import { projectRoot } from '../support/build.ts';
import { blocksOf } from './pages.ts';

type Order = { orderId: string; cents: number; customer: { id: string } };
const order: Order = { orderId: 'o-1', cents: 4200, customer: { id: 'c-1' } };
const orderPaid = eventType<Order>('order.paid');

let workflow: Workflow<Order, unknown>;
/** The events that the example sends after the definition. */
const sent: unknown[] = [];
const calls: string[] = [];

beforeAll(async () => {
  const real = new Holdfast({ app: 'shop' });
  const surroundings = {
    hf: {
      workflow: (...definition: Parameters<Holdfast['workflow']>) => {
        workflow = Object(real.workflow(...definition));
      },
      events: { send: async (event: unknown) => void sent.push(event) },
    },
    eventType,
    orderPaid,
    pack: async (orderId: string) => calls.push(`pack ${orderId}`) && 'p-1',
    notify: async (text: string) => void calls.push(text),
    askForReview: async (customerId: string) => void calls.push(`ask ${customerId}`),
  };
  const [example] = blocksOf('ts').filter(({ path }) => path === 'docs/guides/coming-from.md');
  await runExample(example?.code ?? '', surroundings);
});

/** Runs the code of the page, which is TypeScript, with the names that it uses. */
async function runExample(code: string, surroundings: object): Promise<void> {
  await mkdir(join(projectRoot, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(projectRoot, '.cache/coming-from-'));
  const file = join(folder, 'example.ts');
  try {
    const names = Object.keys(surroundings).join(', ');
    await writeFile(file, `export async function run({ ${names} }) {\n${code}}\n`);
    await (await import(file)).run(surroundings);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function paid(): Promise<TestRun<unknown>> {
  calls.length = 0;
  return await testRun(workflow, { event: { data: order } });
}

describe('the example for people who come from another engine', () => {
  it('packs, waits for the courier, and asks for a review a week later', async () => {
    const t = await paid();
    expect(t.waitingFor).toMatchObject({ step: 'wait for the courier' });
    await t.advance('2d');
    await t.send({ name: 'order.shipped', data: { orderId: 'another' } });
    expect(t.waitingFor).toMatchObject({ step: 'wait for the courier' });
    await t.send({ name: 'order.shipped', data: { orderId: 'o-1' } });
    await t.advance('6d');
    expect(calls).toEqual(['pack o-1']);
    await t.advance('1d');
    expect(calls).toEqual(['pack o-1', 'ask c-1']);
    expect(t.result).toEqual({ parcel: 'p-1' });
  });

  it('tells support after three days without a courier', async () => {
    const t = await paid();
    await t.advance('3d');
    expect(calls).toEqual(['pack o-1', 'order o-1 is late']);
    await t.settled();
    expect(t.status).toBe('succeeded');
  });

  it('sends the events that start the run and let it continue', () => {
    expect(sent).toEqual([
      { name: orderPaid, data: order, dedupeId: 'o-1' },
      { name: expect.objectContaining({ name: 'order.shipped' }), data: { orderId: 'o-1' } },
    ]);
  });
});
