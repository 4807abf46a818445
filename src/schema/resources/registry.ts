import { hasUnsupportedCharacter } from '../../engine/json/index.ts';
import { cursorParts } from '../../engine/paging/index.ts';
import { databaseNow, isLive, type RunnerChange, tailRunners } from '../../engine/runners/index.ts';
import type { App, Runner } from '../../generated/prisma/client.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { type Listing, ofNodes, readListing, readWholeListing } from '../machinery/listing.ts';
import { NodeInterface } from './refs.ts';

/** 2.12 */
const AppType = builder.prismaObject('App', {
  select: { name: true },
  fields: (t) => ({
    name: t.exposeString('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const TransportEnum = builder.enumType('RunnerTransport', {
  description: 'The way between the service and a runner.',
  values: {
    CONNECT: { value: 'connect', description: 'The runner holds a socket to the service.' },
    HTTP: { value: 'http', description: 'The service calls the URL of the runner.' },
  } as const,
});

async function isNowLive(
  runner: Pick<Runner, 'connected' | 'lastSeenAt'>,
  { engine, projectId }: SchemaContext,
): Promise<boolean> {
  const now = databaseNow(engine, await engine.registry.snapshot(projectId));
  return isLive(runner, now, engine.settings.runnerLivenessMs);
}

export const RunnerType = builder.prismaObject('Runner', {
  description: 'A process that executes handlers, as it last registered.',
  interfaces: [NodeInterface],
  select: { id: true, app: true, runnerId: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'A UUID that stays the same over reconnects. It is not `runnerId`.' }),
    runnerId: t.string({
      description: 'Its stable id; without one, its URL or connection. Public keys see no query of a URL.',
      resolve: ({ runnerId }, _args, context) => context.shownUrl(runnerId),
    }),
    app: t.exposeString('app'),
    url: t.string({
      description: 'Public keys see no query.',
      select: { url: true },
      resolve: ({ url }, _args, context) => context.shownUrl(url),
    }),
    framework: t.exposeString('framework', { nullable: true }),
    runtime: t.exposeString('runtime', { nullable: true }),
    language: t.exposeString('language', { nullable: true }),
    sdkName: t.exposeString('sdkName', { nullable: true }),
    version: t.exposeString('version', { nullable: true }),
    region: t.exposeString('region', { nullable: true }),
    workflows: t.exposeStringList('workflows', { description: 'The names of its workflows.' }),
    maxInFlight: t.exposeInt('maxInFlight'),
    inFlight: t.int({
      nullable: true,
      description: 'Passes that it executed at `lastSeenAt`. Null if it is not live, or is called by its URL.',
      select: { inFlight: true, connected: true, lastSeenAt: true },
      resolve: async ({ inFlight, ...runner }, _args, context) =>
        (await isNowLive(runner, context)) ? inFlight : null,
    }),
    transport: t.field({
      type: TransportEnum,
      description: 'The way by which the service reaches it.',
      select: { transport: true },
      resolve: ({ transport }) => (transport === 'http' ? 'http' : 'connect'),
    }),
    registeredAt: t.expose('registeredAt', {
      type: 'DateTime',
      description: 'When a runner of its app and id first registered.',
    }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime' }),
    live: t.boolean({
      description: 'Whether it is connected, and was seen within the liveness window. Only live runners get work.',
      select: { connected: true, lastSeenAt: true },
      resolve: (runner, _args, context) => isNowLive(runner, context),
    }),
  }),
});

const AppConnection = builder.connectionObject({ type: AppType, name: 'AppConnection' }, { name: 'AppEdge' });
const RunnerConnection = builder.connectionObject(
  { type: RunnerType, name: 'RunnerConnection' },
  { name: 'RunnerEdge' },
);

/** `query` has the columns that the document asks for. */
const appListing = ({ engine, projectId }: SchemaContext, query: object): Listing<App> => ({
  name: 'apps',
  key: ['name'],
  read: ({ after, ...rest }) =>
    engine.db.reading(() => engine.db.prisma.app.findMany({ ...query, ...rest, where: { projectId, AND: after } })),
});

/** The cursors of a public key hold no ids of runners, which may be URLs with a query. */
const runnerListing = (
  { engine, projectId, principal }: SchemaContext,
  app: string | null | undefined,
  query: object,
): Listing<Runner> => ({
  ...(principal.kind === 'public'
    ? { name: 'runners.public', key: ['app', 'id'], parts: [cursorParts.text, cursorParts.id] }
    : { name: 'runners', key: ['app', 'runnerId'] }),
  read: ({ after, ...rest }) =>
    engine.db.reading(() =>
      engine.db.prisma.runner.findMany({ ...query, ...rest, where: { projectId, ...ofApp(app), AND: after } }),
    ),
});

builder.queryFields((t) => ({
  apps: t.prismaField({
    type: [AppType],
    description: 'All apps, by name.',
    resolve: (query, _root, _args, context) => readWholeListing(context, appListing(context, query)),
  }),
  appPage: t.field({
    type: AppConnection,
    description: 'Apps by name: 100 by default and at most.',
    args: { first: t.arg.int(), after: t.arg.string() },
    resolve: (_root, page, context, info) => readListing(context, appListing(context, ofNodes(context, info)), page),
  }),
  runners: t.prismaField({
    type: [RunnerType],
    description: 'All runners, by app and id. Runners that have gone remain, with `live: false`.',
    args: { app: t.arg.string() },
    resolve: (query, _root, { app }, context) => readWholeListing(context, runnerListing(context, app, query)),
  }),
  runnerPage: t.field({
    type: RunnerConnection,
    description: 'Runners by app and id: 100 by default and at most.',
    args: { app: t.arg.string(), first: t.arg.int(), after: t.arg.string() },
    resolve: (_root, { app, ...page }, context, info) =>
      readListing(context, runnerListing(context, app, ofNodes(context, info)), page),
  }),
}));

builder.subscriptionField('runnerChanged', (t) =>
  t.prismaField({
    type: RunnerType,
    nullable: true,
    description:
      'Runners that come, leave or change, in their present state. Changes may be missed: read the list again after a reconnect.',
    subscribe: (_root, _args, { engine, projectId }) => tailRunners(engine, { projectId }),
    resolve: (query, change, _args, { engine, projectId }) =>
      engine.db.reading(() =>
        engine.db.prisma.runner.findFirst({ ...query, where: { id: (change as RunnerChange).id, projectId } }),
      ),
  }),
);

/** A Prisma condition on `app`, if one is named. PostgreSQL refuses text that no name can have. */
export function ofApp(app: string | null | undefined): { app?: string | { in: string[] } } {
  if (app === null || app === undefined) return {};
  return { app: hasUnsupportedCharacter(app) ? { in: [] } : app };
}
