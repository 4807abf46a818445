// The queue of webhook deliveries in a process of its own, without sockets: it attempts deliveries
// by a script until none is left. Run by failPoints.test.ts, like crashWorker.mjs.
import { createHash } from 'node:crypto';
import { load, playScenes } from './mortalEngine.mjs';

const {
  claimDeliveries,
  disableIfFailing,
  firstLane,
  releaseLeases,
  releaseStrays,
  rescueDeliveries,
  retireSender,
  settleDeliveries,
  tickSender,
  Vigil,
  viewQueue,
} = await load('engine/webhooks/queue/index.js');
const { redeliverDelivery } = await load('engine/webhooks/deliveries/index.js');
const { newId } = await load('engine/ids.js');

const uuidOf = (name) => {
  const hash = createHash('sha256').update(name).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-7${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};

const endpoints = ['good', 'flaky', 'broken'];
const each = 8;

/** The status that an endpoint answers at its attempt of a delivery. */
const statusOf = { good: () => 204, flaky: ({ attempt }) => (attempt === 1 ? 503 : 200), broken: () => 500 };

/** Endpoints and deliveries, as the end of runs would have written them. Repeats add nothing. */
async function fill({ db, projectId, now }) {
  for (const name of endpoints) {
    await db.query(
      `insert into webhook_endpoint (id, project_id, name, url, event_kinds, scheme)
       values ($1, $2, $3, 'https://' || $3 || '.example.com', '{run.succeeded}', 'service') on conflict do nothing`,
      [uuidOf(name), projectId, name],
    );
    for (let n = 0; n < each; n += 1) {
      await db.query(
        `with made as (
           insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, status, created_at, updated_at)
           values ($1, $2, 'default', $3, 'https://example.com', 'run.succeeded', 'pending', $4, $4)
           on conflict do nothing returning id
         )
         insert into webhook_work (delivery_id, project_id, lane, due_at) select id, $2, $3, $4 from made`,
        [uuidOf(`${name}-${n}`), projectId, uuidOf(name), now],
      );
    }
  }
}

/** Asks for a second attempt of a delivery that had one. Answers whether it did. */
async function redeliverOnce({ db, engine, projectId }) {
  const deliveryId = uuidOf('good-0');
  const { rows } = await db.query('select attempt_count from webhook_delivery where id = $1', [deliveryId]);
  if (rows[0].attempt_count > 1) return false;
  await redeliverDelivery(engine, { projectId, deliveryId, actor: 'test' });
  return true;
}

await playScenes(async (mortal) => {
  const { db, engine } = mortal;
  await mortal.open([{ name: 'unused' }]);
  const { projectId } = mortal;
  await fill({ db, projectId, now: mortal.now() });
  const senderId = newId();
  const vigil = new Vigil();
  const nameOf = new Map(endpoints.map((name) => [uuidOf(name), name]));
  const claim = (room) =>
    claimDeliveries(engine, { senderId, registers: true, room, after: firstLane, except: [], ahead: 0 });
  for (let turns = 0; turns < 400; turns += 1) {
    const { mayRescue } = await tickSender(engine, { senderId, beats: true, vigil });
    if (mayRescue) await rescueDeliveries(engine, senderId);
    const { failing: left } = await viewQueue(engine, { senderId, listsProjects: true });
    for (const endpoint of left) await disableIfFailing(engine, endpoint);
    const leased = (await claim(9)).lanes.flatMap((lane) => lane.deliveries);
    // One goes back unsent, and the lease of another is not known to its sender.
    const [released, stray, ...sent] = leased.length > 3 ? leased : [undefined, undefined, ...leased];
    if (released) await releaseLeases(engine, { senderId, leases: [released] });
    if (stray) await releaseStrays(engine, { senderId, known: sent });
    const attempts = sent.map((delivery) => {
      if (delivery.skip)
        return { delivery, outcome: 'skipped', error: delivery.skip, durationMs: 0, requestHeaders: '{}' };
      const statusCode = statusOf[nameOf.get(delivery.lane)](delivery);
      const outcome = statusCode < 300 ? 'succeeded' : 'http_error';
      return { delivery, outcome, statusCode, durationMs: 1, requestHeaders: '{}', responseHeaders: '{}' };
    });
    const hungry = new Set(attempts.map(({ delivery }) => delivery.lane));
    const { claimed, failing } = await settleDeliveries(engine, { senderId, attempts, hungry, room: 2, ahead: 0 });
    const more = claimed.flatMap((lane) => lane.deliveries);
    await releaseLeases(engine, { senderId, leases: more });
    for (const endpoint of failing) await disableIfFailing(engine, endpoint);
    // The clock of a process that died was days ahead, so the endpoint may be disabled later.
    const { rows } = await db.query(
      "select exists (select from webhook_work) or exists (select from webhook_endpoint where name = 'broken' and enabled) as goes_on",
    );
    if (!rows[0].goes_on && !(await redeliverOnce(mortal))) break;
    // Long enough that the broken endpoint is disabled in the end.
    mortal.advance(leased.length > 0 ? 2_400 : 3_600_000);
    if (turns === 40) mortal.advance(86_400_000 * 6);
  }
  await retireSender(engine, senderId);
});
