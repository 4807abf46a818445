import { createHash } from 'node:crypto';
import { newId } from '../../../src/engine/ids.ts';
import {
  type Claim,
  claimDeliveries,
  type EndedAttempt,
  firstLane,
  type LeasedDelivery,
  rescueDeliveries,
  settleDeliveries,
} from '../../../src/engine/webhooks/queue/index.ts';
import { agree } from '../kit/agree.ts';
import { Process } from './process.ts';
import type { World } from './world.ts';

/** Attempts, deaths and waits of a case. Nearly all cases need a tenth. */
const maxTurns = 400;
const room = 20;

/** A sender that may die at any statement, with its leases. */
class Sender {
  readonly process: Process;
  readonly id = newId();

  constructor(world: World, dieIn: number) {
    this.process = new Process(world.scene);
    this.process.mortal.dieIn(dieIn);
  }
}

/**
 * After the storm, senders attempt every delivery of the case, in turns. Receivers answer well,
 * badly, late or never, as the delivery and its attempt determine. Senders die at any statement,
 * and others take over. In the end nothing is left to attempt (I14).
 */
export async function deliver(world: World, seed: number): Promise<void> {
  let sender = new Sender(world, 3 + (seed % 40));
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const left = await leftOf(world);
    if (left.deliveries === 0) return;
    if (sender.process.mortal.isDead) {
      world.scene.coverage.count('sender', 'died');
      sender = new Sender(world, 3 + ((seed + turn * 7) % 60));
    }
    if (left.leased > 0) await takeOver(world, sender);
    else if (left.in_ms !== null && left.in_ms > 0) await world.advance(left.in_ms + 1);
    else await attempt(world, sender);
  }
  throw new Error(`deliveries come to no end: ${JSON.stringify(await leftOf(world))}`);
}

/** Claims, attempts and settles once. */
async function attempt({ scene }: World, { process, id: senderId }: Sender): Promise<void> {
  const question = { senderId, registers: true, room, after: firstLane, except: [], ahead: 0 };
  const claim: Claim | undefined = await process.attempt(() => claimDeliveries(process.engine, question));
  // Whoever does not know what it leased dies with it.
  if (!claim) return process.mortal.kill();
  const leased = claim.lanes.flatMap(({ deliveries }) => deliveries);
  const attempts = leased.map(answerTo);
  for (const { outcome } of attempts) scene.coverage.count('delivery', outcome);
  if (attempts.length === 0) return;
  const settle = { senderId, attempts, hungry: new Set<string>(), room, ahead: 0 };
  const settled = await process.attempt(() => settleDeliveries(process.engine, settle));
  if (!settled) process.mortal.kill();
}

/** What a receiver makes of an attempt: the same whenever it is repeated. */
function answerTo(delivery: LeasedDelivery): EndedAttempt {
  const [byte = 0] = createHash('sha256').update(`${delivery.deliveryId}/${delivery.attempt}`).digest();
  const common = { delivery, durationMs: byte, requestHeaders: '{}' };
  if (delivery.skip) return { ...common, outcome: 'skipped', error: delivery.skip };
  if (byte < 140) return { ...common, outcome: 'succeeded', statusCode: 200 };
  if (byte < 190) return { ...common, outcome: 'http_error', statusCode: 500 };
  if (byte < 220) return { ...common, outcome: 'timeout', error: 'no answer' };
  return byte < 240
    ? { ...common, outcome: 'http_error', statusCode: 429, retryAfterMs: 7_000 }
    : { ...common, outcome: 'http_error', statusCode: 410 };
}

/** A dead sender's leases end, once its silence has lasted. */
async function takeOver(world: World, { process, id: senderId }: Sender): Promise<void> {
  await world.advance(7_000);
  const freed = await process.attempt(() => rescueDeliveries(process.engine, senderId));
  if (freed) world.scene.coverage.count('sender', 'took over');
}

interface Left {
  deliveries: number;
  leased: number;
  /** The ms until the next is due. */
  in_ms: number | null;
}

async function leftOf({ scene: { db, projectId } }: World): Promise<Left> {
  const { rows } = await db.query<Left>({
    name: 'deliveriesLeft',
    text: `
      select count(*)::int as deliveries, count(lease_id)::int as leased,
        (extract(epoch from min(due_at) - now()) * 1000)::float8 as in_ms
      from webhook_work where project_id = $1`,
    values: [projectId],
  });
  const [row] = rows;
  if (!row) throw new Error('nothing was counted');
  agree('leases without deliveries', row.leased > row.deliveries, false);
  return row;
}
