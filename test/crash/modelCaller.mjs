// A caller of models in a process of its own, for modelCaller.test.ts to kill.
// Environment: DIST (url of the built service), DATABASE_URL, PROVIDER_URL, CONCURRENCY.
import { pino } from 'pino';

const load = (path) => import(new URL(path, process.env.DIST).href);
const { openDatabase } = await load('engine/db/pool/open.js');
const { createEngine } = await load('engine/assembly/createEngine.js');
const { defaultEngineSettings } = await load('engine/settings.js');
const { ModelCaller } = await load('workers/inference/index.js');

const db = await openDatabase({ url: process.env.DATABASE_URL });
const providers = { anthropic: { apiKey: 'settings-key', baseUrl: process.env.PROVIDER_URL } };
const inference = { ...defaultEngineSettings.inference, providers };
const limits = {
  ...defaultEngineSettings.limits,
  inferenceProcessConcurrency: Number(process.env.CONCURRENCY ?? 500),
};
const settings = { operatorKey: 'test operator key', allowPrivateTargets: true, inference, limits };
const engine = createEngine({ db, log: pino({ level: 'silent' }), settings });
const caller = new ModelCaller({ engine, options: { pollMs: 500 } });
caller.start();
process.on('SIGTERM', async () => {
  await caller.stop();
  await db.close();
});
