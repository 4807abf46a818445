// Starts and stops one process of the service.
//
// Owns: the order in which the parts start and stop.
//
// Invariants:
// S1. Claiming starts after the migration, and after the check that the database keeps its commits.
// S2. The parts stop in two steps. First all parts stop that take work or talk to clients, at once,
//     each within its time limit. Then the parts stop on which they depend.
// S3. If a part fails to start, the parts that have started are stopped.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { connectionLimit } from './connectionLimit.ts';
import { consoleFolder, readBuiltConsole, serveConsole } from './console/index.ts';
import { createEngine } from './engine/assembly/index.ts';
import type { EngineContext } from './engine/context.ts';
import { startEmbedded } from './engine/db/embedded/index.ts';
import { answerMsFor, type Database } from './engine/db/index.ts';
import { migrateDatabase } from './engine/db/migrations/index.ts';
import { assertDurable, openDatabase, withStartupLock } from './engine/db/pool/index.ts';
import { flushKeyUsage } from './engine/keys/index.ts';
import { Notifier } from './engine/notify/index.ts';
import { ensureDefaultProject } from './engine/projects/index.ts';
import { findUnreadable, resealForeign } from './engine/secrets/index.ts';
import { createGraphqlHandler, createGraphqlSocketServer, Documents, editorFiles } from './graphql/index.ts';
import { BodyRoom, crossOrigin, Origins, refusalPermission } from './http/index.ts';
import {
  chooseOperatorKey,
  ensureKeys,
  KeysFileError,
  keysFile,
  readFormerOperatorKeys,
  readKeys,
} from './keysFile.ts';
import { createMcp, mcpMetrics } from './mcp/index.ts';
import { createRestApp } from './rest/index.ts';
import { schema } from './schema/index.ts';
import { closeServer, createHttpServer, listen, type RequestHandler, type ServerRoutes } from './server.ts';
import type { Settings } from './settings.ts';
import { Teardown } from './teardown.ts';
import { unreadableText } from './unreadableSecrets.ts';
import { Dispatcher } from './workers/dispatcher/index.ts';
import { ModelCaller } from './workers/inference/index.ts';
import { Scheduler } from './workers/scheduler/index.ts';
import { WebhookSender } from './workers/webhooks/index.ts';

export interface Service {
  baseUrl: string;
  /** The address of the web console; absent if this process does not serve it. */
  consoleUrl: string | undefined;
  /** The path of keys.json; absent in production, where the operator creates keys. */
  keysFile: string | undefined;
  /** The data directory of the embedded PostgreSQL; absent if DATABASE_URL is set. */
  embeddedDirectory: string | undefined;
  /** S2. Accepts no new work, finishes or releases the running work, and stops. Idempotent. */
  stop(): Promise<void>;
}

/** Starts the parts that `settings.roles` names, over a migrated database. */
export async function startService(settings: Settings, log: Logger): Promise<Service> {
  const teardown = new Teardown(log);
  try {
    return await start(settings, log, teardown);
  } catch (error) {
    // S3
    await teardown.run();
    throw error;
  }
}

async function start(settings: Settings, log: Logger, teardown: Teardown): Promise<Service> {
  const { url, embeddedDirectory } = await findDatabase(settings, log, teardown);
  await migrateDatabase({ url, log });
  const answerMs = answerMsFor(settings.engine.readTimeoutMs);
  const db = await openDatabase({ url, log, max: settings.databasePoolSize, answerMs });
  teardown.last('database connections', () => db.close());
  if (!settings.allowUnsafeDatabase) await assertDurable(db.pool); // S1

  const engine = await withStartupLock(db, () => prepareEngine(settings, db, log));
  teardown.last('key usage', () => flushKeyUsage(engine));
  const notifier = new Notifier(engine, url);
  await notifier.start();
  teardown.last('notifier', () => notifier.stop());

  const dispatcher = settings.roles.has('dispatcher') ? await startDispatcher(settings, engine, teardown) : undefined;
  if (settings.roles.has('scheduler')) startScheduler(engine, teardown);
  if (settings.roles.has('webhooks')) startWebhooks(engine, teardown);
  if (settings.roles.has('inference')) startInference(engine, teardown);
  const port = await startServer(settings, engine, dispatcher, teardown);
  const baseUrl = baseUrlOf(settings, port);
  engine.settings.baseUrl = baseUrl;
  if (!settings.isProduction && settings.port === 0) await issueKeys(settings, engine, baseUrl);
  return {
    baseUrl,
    consoleUrl: hasConsole(settings) ? `${baseUrl}/console` : undefined,
    keysFile: settings.isProduction ? undefined : keysFile(settings.dataDir),
    embeddedDirectory,
    stop: () => {
      engine.bus.emit('service.stopping', {});
      return teardown.run();
    },
  };
}

async function findDatabase(
  { databaseUrl, dataDir, allowUnsafeDatabase }: Settings,
  log: Logger,
  teardown: Teardown,
): Promise<{ url: string; embeddedDirectory: string | undefined }> {
  if (databaseUrl !== undefined) return { url: databaseUrl, embeddedDirectory: undefined };
  const directory = `${dataDir}/pg`;
  const embedded = await startEmbedded({ directory, log, isDurable: !allowUnsafeDatabase });
  teardown.last('embedded PostgreSQL', () => embedded.stop());
  return { url: embedded.url, embeddedDirectory: directory };
}

/** The engine, with the project `default` and, outside of production, keys for it. */
async function prepareEngine(settings: Settings, db: Database, log: Logger): Promise<EngineContext> {
  const known = settings.isProduction ? undefined : await readKeys(settings.dataDir);
  const operatorKey = chooseOperatorKey(settings.engine.operatorKey, known);
  const baseUrl = settings.publicUrl ?? (settings.port === 0 ? undefined : baseUrlOf(settings, settings.port));
  const engine = createEngine({ db, log, settings: { ...settings.engine, operatorKey, baseUrl } });
  const unreadable = await findUnreadable(engine);
  if (unreadable && !settings.allowNewOperatorKey) throw new KeysFileError(unreadableText(unreadable, settings));
  // Written before the service is ready. A port that the system chooses is added when it is known.
  if (!settings.isProduction) await issueKeys(settings, engine, baseUrlOf(settings, settings.port));
  else await ensureDefaultProject(engine);
  // Only now: a crash in between must not lose the only copy of the new key.
  if (unreadable) {
    const further = settings.isProduction ? [] : await readFormerOperatorKeys(settings.dataDir);
    log.warn(await resealForeign(engine, further), 'new operator key accepted');
  }
  return engine;
}

async function issueKeys(settings: Settings, engine: EngineContext, baseUrl: string): Promise<void> {
  const { dataDir, publicUrl, roles } = settings;
  const project = await ensureDefaultProject(engine);
  const replaces = !roles.has('api') ? 'never' : publicUrl === undefined ? 'unlessLive' : 'always';
  await ensureKeys(engine, { dataDir, projectId: project.id, baseUrl, replaces });
}

async function startDispatcher(
  { runnerProbeMs }: Settings,
  engine: EngineContext,
  teardown: Teardown,
): Promise<Dispatcher> {
  const dispatcher = new Dispatcher({ engine, options: { probeMs: runnerProbeMs } });
  teardown.first('dispatcher', () => dispatcher.stop());
  await dispatcher.start();
  return dispatcher;
}

function startScheduler(engine: EngineContext, teardown: Teardown): void {
  const scheduler = new Scheduler(engine);
  teardown.first('scheduler', () => scheduler.stop());
  scheduler.start();
}

function startWebhooks(engine: EngineContext, teardown: Teardown): void {
  const sender = new WebhookSender({ engine });
  teardown.first('webhook sender', () => sender.stop());
  sender.start();
}

function startInference(engine: EngineContext, teardown: Teardown): void {
  const caller = new ModelCaller({ engine });
  teardown.first('model caller', () => caller.stop());
  caller.start();
}

async function startServer(
  settings: Settings,
  engine: EngineContext,
  dispatcher: Dispatcher | undefined,
  teardown: Teardown,
): Promise<number> {
  const { streamCommentMs, limits } = settings;
  const bodies = new BodyRoom(limits.bodiesMaxBytes);
  const addMetrics = settings.roles.has('api') ? mcpMetrics(engine) : undefined;
  const extend = hasConsole(settings) ? await consoleOf(settings, engine, bodies) : undefined;
  const rest = createRestApp({ engine, schema, streamCommentMs, bodies, addMetrics, extend });
  const { publicUrl, corsOrigins, allowedOrigins } = settings;
  const origins = new Origins({ publicUrl, allowed: [...corsOrigins, ...allowedOrigins] });
  const routes: { -readonly [Key in keyof ServerRoutes]: ServerRoutes[Key] } = {
    paths: {},
    otherwise: rest.handle.bind(rest),
    upgrades: {},
    origins,
  };
  if (settings.roles.has('api')) {
    const { jsonDepth } = engine.settings.limits;
    const documents = new Documents({ ...limits.document, jsonDepth, hidesSuggestions: settings.isProduction });
    const handle = createGraphqlHandler(engine, { documents, bodies, origins, streams: rest.streams });
    const sockets = createGraphqlSocketServer(engine, {
      documents,
      maxSubscriptions: limits.subscriptionsPerSocket,
    });
    teardown.first('graphql sockets', () => sockets.stop());
    const mcp = createMcp({
      engine,
      bodies,
      settings: settings.mcp,
      host: settings.host,
      publicUrl,
    });
    teardown.first('agent tools', () => mcp.close());
    const openToPages = crossOrigin(corsOrigins);
    routes.otherwise = openToPages(routes.otherwise);
    routes.refusalHeaders = refusalPermission(corsOrigins);
    routes.paths = {
      ...editorFiles,
      '/graphql': openToPages((request, response) => void handle(request, response)),
      '/mcp': mcp.handle.bind(mcp),
    };
    routes.upgrades = { '/graphql': sockets.handleUpgrade.bind(sockets) };
  } else {
    routes.otherwise = onlyHealth(routes.otherwise);
  }
  if (dispatcher) routes.upgrades = { ...routes.upgrades, '/connect': dispatcher.handleUpgrade.bind(dispatcher) };
  const { requestsPerConnection, connections = connectionLimit(settings) } = limits;
  const server = createHttpServer(routes, { requestsPerConnection, connections });
  const port = await listen(server, settings);
  teardown.first('http server', async () => {
    const closed = closeServer(server);
    await rest.close();
    await closed;
  });
  return port;
}

const hasConsole = ({ roles, servesConsole }: Settings): boolean => servesConsole && roles.has('api');

/** Adds the web console. Pages of other origins cannot sign in, also not those of CORS_ORIGINS. */
async function consoleOf(
  { publicUrl }: Settings,
  engine: EngineContext,
  bodies: BodyRoom,
): Promise<(app: Express) => void> {
  const built = await readBuiltConsole(consoleFolder);
  return (app) => serveConsole(app, { built, engine, bodies, origins: new Origins({ publicUrl }) });
}

/** A process without the role `api` answers health checks only. */
function onlyHealth(handle: RequestHandler): RequestHandler {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (/^\/(health\/|metrics(\?|$))/.test(request.url ?? '')) return handle(request, response);
    response.writeHead(404, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify({ error: 'not found' }));
  };
}

const anyAddress: readonly string[] = ['0.0.0.0', '::', '[::]'];

function baseUrlOf({ publicUrl, host }: Settings, port: number): string {
  if (publicUrl !== undefined) return publicUrl;
  const name = anyAddress.includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
