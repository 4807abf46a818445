import { hasUnsupportedCharacter } from '../../engine/json/index.ts';
import { databaseNow, isLive } from '../../engine/runners/index.ts';
import { builder } from '../machinery/builder.ts';

/** 2.12 */
const AppType = builder.prismaObject('App', {
  select: { name: true },
  fields: (t) => ({
    name: t.exposeString('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const RunnerType = builder.prismaObject('Runner', {
  description: 'A process that executes handlers, as it last made itself known.',
  select: { id: true },
  fields: (t) => ({
    runnerId: t.exposeString('runnerId', {
      description: 'Its stable id; its URL or connection when it registered without one.',
    }),
    app: t.exposeString('app'),
    url: t.exposeString('url'),
    framework: t.exposeString('framework', { nullable: true }),
    runtime: t.exposeString('runtime', { nullable: true }),
    language: t.exposeString('language', { nullable: true }),
    sdkName: t.exposeString('sdkName', { nullable: true }),
    version: t.exposeString('version', { nullable: true }),
    region: t.exposeString('region', { nullable: true }),
    workflows: t.exposeStringList('workflows', { description: 'Names of the workflows that it serves.' }),
    maxInFlight: t.exposeInt('maxInFlight'),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime' }),
    live: t.boolean({
      description: 'Whether it can be sent work: connected, and seen within the liveness window.',
      select: { connected: true, lastSeenAt: true },
      resolve: async (runner, _args, { engine, projectId }) => {
        const now = databaseNow(engine, await engine.registry.snapshot(projectId));
        return isLive(runner, now, engine.settings.runnerLivenessMs);
      },
    }),
  }),
});

const maxApps = 1000;
const maxRunners = 5000;

builder.queryFields((t) => ({
  apps: t.prismaField({
    type: [AppType],
    description: 'By name; at most 1000.',
    resolve: (query, _root, _args, { engine, projectId }) =>
      engine.db.prisma.app.findMany({ ...query, where: { projectId }, orderBy: { name: 'asc' }, take: maxApps }),
  }),
  runners: t.prismaField({
    type: [RunnerType],
    description: 'By app and id; at most 5000. Those that are gone stay listed, not live.',
    args: { app: t.arg.string() },
    resolve: (query, _root, { app }, { engine, projectId }) =>
      engine.db.prisma.runner.findMany({
        ...query,
        where: { projectId, ...ofApp(app) },
        orderBy: [{ app: 'asc' }, { runnerId: 'asc' }],
        take: maxRunners,
      }),
  }),
}));

/** A Prisma condition on `app`; none when no app is named. PostgreSQL refuses what no stored name can hold. */
export function ofApp(app: string | null | undefined): { app?: string | { in: string[] } } {
  if (app === null || app === undefined) return {};
  return { app: hasUnsupportedCharacter(app) ? { in: [] } : app };
}
