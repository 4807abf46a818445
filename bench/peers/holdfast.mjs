// The adapter of Holdfast for the side-by-side benchmark. Copy this file into the harness's
// adapters/, and set HOLDFAST_HOME to a built checkout. The service is a single process with all
// roles and default settings, on the harness's PostgreSQL. Handlers run in the runner over a
// WebSocket, and clients use REST. Variant `sdk` reads results by the SDK's `runs.wait`.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, httpClient, until } from '../lib/net.mjs';
import { databaseMiB, startPostgres } from '../lib/postgres.mjs';
import { waitForTally } from '../lib/workloads.mjs';

const home = process.env.HOLDFAST_HOME;
const app = 'bench';

const sdk = () => import(pathToFileURL(path.join(home, 'sdk/dist/index.js')).href);

export default function create({ shared, stateDir, variant }) {
  let postgres, service, connection, client, viaSdk;

  const startWorkflow = (kind, input) => client.post(`/workflows/${app}/${kind}/trigger`, { input });

  return {
    clientIn: 'driver',
    workloads: ['W1', 'W2', 'W3', 'W4', 'W5', 'W6'],
    notes: `one process with all roles, defaults; result by ${variant === 'sdk' ? 'runs.wait of the SDK' : 'GET /runs/{id}?wait=30000'}`,

    async start() {
      if (!home) throw new Error('set HOLDFAST_HOME to a built checkout');
      postgres = await startPostgres(stateDir);
      const [port, directory] = [await freePort(), path.join(stateDir, 'holdfast')];
      fs.mkdirSync(directory, { recursive: true });
      const log = fs.openSync(path.join(stateDir, 'holdfast.log'), 'a');
      const profile = process.env.HOLDFAST_PROFILE;
      const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
      service = spawn(process.execPath, [...flags, path.join(home, 'dist/src/main.js')], {
        stdio: ['ignore', log, log],
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          PORT: String(port),
          DATABASE_URL: postgres.url,
          DATA_DIR: directory,
          LOG_LEVEL: 'warn',
        },
      });
      process.once('exit', () => service.kill('SIGKILL')); // the driver ends early
      shared.url = `http://127.0.0.1:${port}`;
      shared.databaseUrl = postgres.url;
      const health = httpClient(shared.url);
      await until(() => health.get('/health/ready').then(() => true), {
        limitMs: 60_000,
        everyMs: 50,
        what: 'holdfast',
      });
      health.close();
      shared.apiKey = JSON.parse(fs.readFileSync(path.join(directory, 'keys.json'), 'utf8')).secretKey;
      return { pids: { server: [service.pid], db: [postgres.pid] }, postgres: postgres.settings };
    },

    async registerWorkflows(workflows) {
      const { Holdfast } = await sdk();
      const holdfast = new Holdfast({ baseUrl: shared.url, apiKey: shared.apiKey, app });
      for (const [kind, handler] of Object.entries(workflows)) {
        holdfast.workflow({ id: kind }, ({ event, step }) =>
          handler({ step: (name, body) => step.run(name, body), sleep: (ms) => step.sleep('sleep', ms) }, event.data),
        );
      }
      connection = holdfast.connect();
      await connection.ready;
    },

    async connect() {
      client ??= httpClient(shared.url, { headers: { authorization: `Bearer ${shared.apiKey}` } });
      if (variant === 'sdk') viaSdk ??= new (await sdk()).Holdfast({ baseUrl: shared.url, apiKey: shared.apiKey, app });
    },

    startWorkflow,

    async runToEnd(kind, input) {
      const { runId } = await startWorkflow(kind, input);
      if (viaSdk) return (await viaSdk.runs.wait(runId)).result;
      return (await client.get(`/runs/${runId}?wait=30000`)).result;
    },

    waitAll: (n, bench, opts) =>
      waitForTally(n, bench, opts, async () => (await client.get('/runs?status=active&limit=1')).length === 0),

    storeMiB: () => databaseMiB(shared.databaseUrl),

    async stop() {
      await connection?.close();
      client?.close();
      if (service && service.exitCode === null) {
        const gone = new Promise((resolve) => service.once('exit', resolve));
        service.kill('SIGTERM');
        const tooLong = setTimeout(() => service.kill('SIGKILL'), 12_000);
        await gone;
        clearTimeout(tooLong);
      }
      await postgres?.stop();
    },
  };
}
