import { maxNameLength } from '../../engine/codePoints.ts';
import type { EngineContext } from '../../engine/context.ts';
import { bulkCeiling } from '../../engine/control/index.ts';
import { maxEventsPerCall } from '../../engine/events/index.ts';
import { maxTags } from '../../engine/runs/index.ts';
import { serviceVersion } from '../../engine/version.ts';
import { builder } from '../machinery/builder.ts';

const ServiceLimitsType = builder.objectRef<EngineContext>('ServiceLimits').implement({
  description: 'Limits that a client meets. Times are in milliseconds.',
  fields: (t) => ({
    nameLength: t.int({
      description: 'Characters of a name: of apps, workflows, steps, keys, tags.',
      resolve: () => maxNameLength,
    }),
    tags: t.int({ description: 'Tags of an event or a run.', resolve: () => maxTags }),
    jsonDepth: t.int({
      description: 'Levels of a JSON payload.',
      resolve: ({ settings }) => settings.limits.jsonDepth,
    }),
    bulkRuns: t.int({ description: 'Runs on which one bulk call acts.', resolve: () => bulkCeiling }),
    eventsPerCall: t.int({ description: 'Events of one call of `sendEvents`.', resolve: () => maxEventsPerCall }),
    answerObjects: t.int({
      description: 'Objects and list elements of one answer.',
      resolve: ({ settings }) => settings.limits.answerMaxObjects,
    }),
    pageBytes: t.int({
      description: 'Bytes of payloads on one page of a list. The page ends early.',
      resolve: ({ settings }) => settings.limits.pageMaxBytes,
    }),
    requestsPerKey: t.int({
      description: 'Requests of one key under way in a process. Further ones wait.',
      resolve: ({ settings }) => settings.limits.requestsPerKey,
    }),
    readMs: t.int({
      description: 'How long a search or a statistic may take. Then it answers `BUSY`.',
      resolve: ({ settings }) => settings.readTimeoutMs,
    }),
    noRunnerMs: t.int({
      description: 'How long a run waits for a live runner. Then it fails.',
      resolve: ({ settings }) => settings.noRunnerWaitMs,
    }),
    dedupeMs: t.int({
      description: 'How long the service remembers a `dedupeId`.',
      resolve: ({ settings }) => settings.dedupeWindowMs,
    }),
  }),
});

const ServiceType = builder.objectRef<EngineContext>('Service').implement({
  description: 'The process that answers.',
  fields: (t) => ({
    version: t.string({ description: 'That of its package, such as `0.1.0`.', resolve: () => serviceVersion }),
    now: t.field({
      type: 'DateTime',
      description: 'Its clock, by which a page can count down although the clock of its browser is off.',
      resolve: ({ clock }) => clock.now(),
    }),
    limits: t.field({
      type: ServiceLimitsType,
      description: 'Limits of this service, as its settings make them.',
      resolve: (engine) => engine,
    }),
  }),
});

builder.queryField('service', (t) =>
  t.field({
    type: ServiceType,
    skipTypeScopes: true,
    description: 'The service itself. It also answers without a project, and reads nothing.',
    resolve: (_root, _args, { engine }) => engine,
  }),
);
