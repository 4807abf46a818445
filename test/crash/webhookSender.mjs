// A sender of webhook deliveries in a process of its own, for webhookSender.test.ts to kill.
// Environment: DIST (url of the built service), DATABASE_URL.
import { pino } from 'pino';

const load = (path) => import(new URL(path, process.env.DIST).href);
const { openDatabase } = await load('engine/db/pool/open.js');
const { createEngine } = await load('engine/assembly/createEngine.js');
const { WebhookSender } = await load('workers/webhooks/index.js');

const db = await openDatabase({ url: process.env.DATABASE_URL });
const settings = { operatorKey: 'test operator key', allowPrivateTargets: true };
const sender = new WebhookSender({ engine: createEngine({ db, log: pino({ level: 'silent' }), settings }) });
sender.start();
process.on('SIGTERM', async () => {
  await sender.stop();
  await db.close();
});
