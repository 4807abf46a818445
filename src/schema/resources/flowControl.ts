import type { FlowControl } from '@holdfast/sdk/protocol';
import { builder } from '../machinery/builder.ts';
import { SingletonModeEnum } from '../machinery/enums.ts';

/** A policy that is present is active (2.2). */
type Policy<Name extends keyof FlowControl> = NonNullable<FlowControl[Name]>;

const Concurrency = builder.objectRef<Policy<'concurrency'>>('FlowConcurrency').implement({
  fields: (t) => ({ limit: t.exposeFloat('limit'), key: t.exposeString('key', { nullable: true }) }),
});

const Rate = builder.objectRef<Policy<'rateLimit'>>('FlowRate').implement({
  fields: (t) => ({
    limit: t.exposeFloat('limit'),
    perMs: t.exposeFloat('perMs'),
    key: t.exposeString('key', { nullable: true }),
  }),
});

const Debounce = builder.objectRef<Policy<'debounce'>>('FlowDebounce').implement({
  fields: (t) => ({ periodMs: t.exposeFloat('periodMs'), key: t.exposeString('key', { nullable: true }) }),
});

const Batch = builder.objectRef<Policy<'batch'>>('FlowBatch').implement({
  fields: (t) => ({
    maxSize: t.exposeFloat('maxSize'),
    timeoutMs: t.exposeFloat('timeoutMs'),
    key: t.exposeString('key', { nullable: true }),
  }),
});

const Priority = builder.objectRef<Policy<'priority'>>('FlowPriority').implement({
  fields: (t) => ({ shiftMs: t.exposeFloat('shiftMs') }),
});

const Singleton = builder.objectRef<Policy<'singleton'>>('FlowSingleton').implement({
  fields: (t) => ({
    key: t.exposeString('key', { nullable: true }),
    mode: t.expose('mode', { type: SingletonModeEnum, nullable: true }),
  }),
});

const Idempotency = builder.objectRef<Policy<'idempotency'>>('FlowIdempotency').implement({
  fields: (t) => ({
    key: t.exposeString('key', { nullable: true }),
    periodMs: t.exposeFloat('periodMs', { nullable: true }),
  }),
});

const Cap = builder.objectRef<Policy<'cap'>>('FlowCap').implement({
  fields: (t) => ({
    maxCost: t.exposeFloat('maxCost', { nullable: true, description: 'USD per run.' }),
    maxTokens: t.exposeFloat('maxTokens', { nullable: true }),
  }),
});

const Budget = builder.objectRef<Policy<'budget'>>('FlowBudget').implement({
  fields: (t) => ({
    maxCost: t.exposeFloat('maxCost', { nullable: true, description: 'USD per window.' }),
    maxTokens: t.exposeFloat('maxTokens', { nullable: true }),
    windowMs: t.exposeFloat('windowMs'),
    warnAtPct: t.exposeFloat('warnAtPct', { nullable: true }),
  }),
});

const TokenThrottle = builder.objectRef<Policy<'tokenThrottle'>>('FlowTokenThrottle').implement({
  fields: (t) => ({
    tokens: t.exposeFloat('tokens'),
    perMs: t.exposeFloat('perMs'),
    key: t.exposeString('key', { nullable: true }),
  }),
});

export const FlowControlType = builder.objectRef<FlowControl>('FlowControl').implement({
  description: 'Policies as registered; one that is present is active. Milliseconds and counts may exceed 32 bits.',
  fields: (t) => ({
    concurrency: t.expose('concurrency', { type: Concurrency, nullable: true }),
    throttle: t.expose('throttle', { type: Rate, nullable: true }),
    rateLimit: t.expose('rateLimit', { type: Rate, nullable: true }),
    debounce: t.expose('debounce', { type: Debounce, nullable: true }),
    batch: t.expose('batch', { type: Batch, nullable: true }),
    priority: t.expose('priority', { type: Priority, nullable: true }),
    singleton: t.expose('singleton', { type: Singleton, nullable: true }),
    idempotency: t.expose('idempotency', { type: Idempotency, nullable: true }),
    cap: t.expose('cap', { type: Cap, nullable: true }),
    budget: t.expose('budget', { type: Budget, nullable: true }),
    tokenThrottle: t.expose('tokenThrottle', { type: TokenThrottle, nullable: true }),
  }),
});
