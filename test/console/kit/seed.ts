import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import type { Holdfast } from '../../../sdk/src/index.ts';
import type { ConsoleSite } from './consoleSite.ts';

/** The runs that `seed` makes, by what happened to them. */
export interface SeededRuns {
  succeeded: string;
  failed: string;
  sleeping: string;
  waitingForEvent: string;
  waitingForChild: string;
  needsApproval: string;
  retrying: string;
  /** A run with a step that took three attempts. */
  retried: string;
  manySteps: string;
  limited: string;
  /** A run that failed at its last step, and its replay, which went another way. */
  quoted: string;
  quotedAgain: string;
}

export const seeded: { runs: SeededRuns } = {
  runs: {
    ...{ succeeded: '', failed: '', sleeping: '', waitingForEvent: '', waitingForChild: '', needsApproval: '' },
    ...{ retrying: '', retried: '', manySteps: '', limited: '', quoted: '', quotedAgain: '' },
  },
};

/** Fills a project with runs in each state, by workflows of a shop that run in this process. */
export async function seed(site: ConsoleSite): Promise<void> {
  const shop = site.client('shop');
  defineShop(shop);
  await site.connect(shop, 'warehouse-1');
  const start = async (name: string, data: unknown, tags: Record<string, string> = {}): Promise<string> => {
    const started = await shop.workflows.trigger({ app: 'shop', name }, { input: data, tags });
    if (!started.runId) throw new Error(`${name} has not started`);
    return started.runId;
  };
  for (let n = 1; n <= 12; n += 1) await start('ship order', { orderId: `o-${n}`, cents: 1_900 * n }, { region: 'eu' });
  for (let n = 1; n <= 4; n += 1) await start('charge card', { orderId: `o-${n}`, card: `visa ${n}` });
  await start('print label', { parcel: 'p-1' });
  seeded.runs = {
    succeeded: await start('ship order', { orderId: 'o-17', cents: 4_900 }, { region: 'eu', tenant: 'acme' }),
    failed: await start('charge card', { orderId: 'o-18', card: 'expired' }, { tenant: 'acme' }),
    sleeping: await start('remind customer', { customer: 'c-1' }),
    waitingForEvent: await start('await payment', { orderId: 'o-19' }),
    waitingForChild: await start('close day', { day: '2030-01-31' }),
    needsApproval: await start('refund order', { orderId: 'o-20', cents: 12_000 }, { tenant: 'acme' }),
    retrying: await start('call carrier', { parcel: 'p-1' }),
    retried: await start('sync stock', { shelf: 's-4' }),
    manySteps: await start('import catalogue', { rows: 50 }),
    limited: await start('print label', { parcel: 'p-2' }),
    quoted: await start('quote price', { basket: 'b-7', currency: 'USD' }),
    quotedAgain: '',
  };
  const { succeeded, failed, needsApproval, retried, manySteps, quoted } = seeded.runs;
  const statusOf = async (id: string): Promise<string> => (await shop.runs.get(id)).status;
  const ends = (id: string, status: string): Promise<void> =>
    vi.waitFor(async () => expect(await statusOf(id)).toBe(status), { timeout: 60_000, interval: 100 });
  for (const [id, status] of [
    [succeeded, 'succeeded'],
    [failed, 'failed'],
    [needsApproval, 'needs_attention'],
    [retried, 'succeeded'],
    [manySteps, 'succeeded'],
    [quoted, 'failed'],
  ] as const)
    await ends(id, status);
  seeded.runs.quotedAgain = (await shop.runs.replay(quoted)).id;
  await ends(seeded.runs.quotedAgain, 'succeeded');
}

function defineShop(hf: Holdfast): void {
  hf.workflow(
    { id: 'ship order', triggers: [{ event: 'order.paid' }, { cron: '0 6 * * 1-5' }] },
    async ({ event, step, log }) => {
      log.info('packing', { order: event.data });
      const parcel = await step.run('pack', { input: event.data }, () => {
        log.info('weighed', { grams: 1_250 });
        return { parcel: 'p-7', grams: 1_250 };
      });
      const [label] = await Promise.all([
        step.run('print label', () => ({ label: 'PDF', pages: 1 })),
        step.run('book courier', () => delay(40, 'booked')),
      ]);
      await step.emit('announce', { name: 'order.shipped', data: { parcel } });
      log.warn('the label is old', { label });
      return { parcel, label };
    },
  );
  hf.workflow({ id: 'charge card', triggers: [{ event: 'order.placed' }], retry: { maxAttempts: 1 } }, ({ step }) =>
    step.run('ask the bank', () => {
      throw new TypeError('card 4242 was declined: expired');
    }),
  );
  hf.workflow({ id: 'remind customer' }, ({ step }) => step.sleep('three days', '3d'));
  hf.workflow({ id: 'await payment' }, ({ step }) =>
    step.waitForEvent('payment', { event: 'payment.settled', if: 'event.data.ok == true', timeout: '2d' }),
  );
  const refund = hf.workflow({ id: 'refund order' }, async ({ event, step }) => {
    const { orderId, cents } = event.data as { orderId: string; cents: number };
    const decision = await step.approval('sign off', {
      tool: 'refund',
      args: { orderId, cents },
      risk: 'high',
      summary: `Pay ${(cents / 100).toFixed(2)} € back for order ${orderId}`,
      context: 'The customer says that the kettle arrived broken.',
      policy: 'Refunds above 100 € need a person.',
      timeout: '4h',
      onTimeout: 'reject',
    });
    return decision.status;
  });
  hf.workflow({ id: 'close day' }, ({ step }) =>
    step.runWorkflow('refunds', refund, { data: { orderId: 'o-21', cents: 14_000 } }),
  );
  hf.workflow(
    { id: 'call carrier', retry: { maxAttempts: 10, backoff: 'fixed', initialDelayMs: 3_600_000 } },
    ({ step }) =>
      step.run('call', () => {
        throw new Error('the carrier answered 503');
      }),
  );
  let counts = 0;
  hf.workflow(
    { id: 'sync stock', retry: { maxAttempts: 5, backoff: 'fixed', initialDelayMs: 150 } },
    async ({ step }) => {
      const shelf = await step.run('read shelf', () => ({ kettles: 4 }));
      await step.run('count pieces', async () => {
        counts += 1;
        await delay(40);
        if (counts === 1) throw new RangeError('the scale shows less than nothing: -3 g');
        if (counts === 2) throw new Error('the warehouse answered 503');
      });
      await step.run('save stock', () => shelf);
    },
  );
  // The first run holds the only slot, and the others wait for it.
  hf.workflow({ id: 'print label', concurrency: { limit: 1 } }, ({ step, run }) =>
    step.run('wait for the printer', () => delay(86_400_000, 'printed', { signal: run.signal, ref: false })),
  );
  // The replay gets another rate and checks the credit; the mail is then sent.
  let quoted: string | undefined;
  hf.workflow({ id: 'quote price', retry: { maxAttempts: 1 } }, async ({ event, step, run }) => {
    quoted ??= run.id;
    const isReplay = run.id !== quoted;
    const basket = await step.run('read basket', { input: event.data }, () => ({
      basket: 'b-7',
      items: 3,
      cents: 8_400,
    }));
    for (const item of ['kettle', 'lamp', 'rug', 'stool']) await step.run(`price of the ${item}`, () => 2_100);
    const rate = await step.run('ask rate', () => ({
      pair: 'EUR/USD',
      rate: isReplay ? 1.1204 : 1.0831,
      source: isReplay ? 'bank' : 'cache',
      fees: { fixed: 25, percent: 1.5 },
    }));
    if (isReplay) await step.run('check credit', () => ({ isGood: true }));
    await step.run('send mail', { input: { basket, rate } }, () => {
      if (!isReplay) throw new Error('the mail server answered 421');
      return { sent: true };
    });
    return { cents: 8_400, rate: rate.rate };
  });
  hf.workflow({ id: 'import catalogue' }, async ({ step }) => {
    for (let row = 0; row < 50; row += 1) await step.run(`import row ${row}`, () => ({ row, name: `item ${row}` }));
    return { rows: 50 };
  });
}
