import type { BudgetState } from '../../engine/budgets/index.ts';
import type { TokenBucketState } from '../../engine/flow/index.ts';
import {
  type BatchState,
  type DebounceState,
  type FlowState,
  readFlowState,
  type ScopeState,
  type ThrottleState,
} from '../../engine/flow-state/index.ts';
import { builder } from '../machinery/builder.ts';

const keyHint = "The value at the policy's key; null for the whole workflow.";

const Ceiling = builder.objectRef<FlowState['concurrency']>('FlowCeilingState').implement({
  description: "The project's ceiling.",
  fields: (t) => ({
    limit: t.exposeFloat('limit', { description: 'Runs that may execute at once; 0 is unlimited.' }),
    inUse: t.exposeFloat('inUse', { description: 'Runs that execute now.' }),
  }),
});

const Scope = builder.objectRef<ScopeState>('FlowScopeState').implement({
  description: 'A scope of `concurrency`.',
  fields: (t) => ({
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    key: t.exposeString('key', { nullable: true, description: keyHint }),
    limit: t.exposeFloat('limit'),
    inUse: t.exposeFloat('inUse', { description: 'Runs that execute now.' }),
    waiting: t.exposeFloat('waiting', { description: 'Runs that could go on, and wait for their turn.' }),
  }),
});

const Debounce = builder.objectRef<DebounceState>('FlowDebounceState').implement({
  fields: (t) => ({
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    pending: t.exposeFloat('pending', { description: 'Starts that wait for quiet.' }),
    nextFireAt: t.expose('nextFireAt', {
      type: 'DateTime',
      description: 'When the first of them fires, unless an event comes.',
    }),
  }),
});

const Batch = builder.objectRef<BatchState>('FlowBatchState').implement({
  fields: (t) => ({
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    buffered: t.exposeFloat('buffered', { description: 'Events that wait for company.' }),
    oldestAt: t.expose('oldestAt', { type: 'DateTime', description: 'Since when the first of them waits.' }),
  }),
});

const Throttle = builder.objectRef<ThrottleState>('FlowThrottleState').implement({
  fields: (t) => ({
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    key: t.exposeString('key', { nullable: true, description: keyHint }),
    delayed: t.exposeFloat('delayed', {
      description: 'Starts that are put off, those included that were cancelled since.',
    }),
    nextStartAt: t.expose('nextStartAt', { type: 'DateTime' }),
  }),
});

const TokenThrottle = builder.objectRef<TokenBucketState>('FlowTokenThrottleState').implement({
  fields: (t) => ({
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    key: t.exposeString('key', { nullable: true, description: keyHint }),
    available: t.exposeFloat('available', { description: 'Tokens in the bucket.' }),
    nextStartAt: t.expose('nextStartAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When starts may go again; null where none has to wait.',
    }),
  }),
});

const Budget = builder.objectRef<BudgetState>('FlowBudgetState').implement({
  fields: (t) => ({
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    cost: t.exposeFloat('cost', { nullable: true, description: 'USD in the window; null where no call was priced.' }),
    tokens: t.exposeFloat('tokens', { description: 'In and out, in the window.' }),
    maxCost: t.exposeFloat('maxCost', { nullable: true }),
    maxTokens: t.exposeFloat('maxTokens', { nullable: true }),
    windowMs: t.exposeFloat('windowMs'),
    paused: t.exposeFloat('paused', { description: 'Runs that it has paused.' }),
  }),
});

/** 4.9 */
const FlowStateType = builder.objectRef<FlowState>('FlowState').implement({
  description: 'What flow control holds back now. Each list has at most 1000 rows, what is fullest first.',
  fields: (t) => ({
    concurrency: t.expose('concurrency', { type: Ceiling }),
    scopes: t.expose('scopes', {
      type: [Scope],
      description: 'Those in which something executes or waits, and those of policies without a key.',
    }),
    debounce: t.expose('debounce', { type: [Debounce] }),
    batch: t.expose('batch', { type: [Batch] }),
    throttle: t.expose('throttle', { type: [Throttle] }),
    tokenThrottle: t.expose('tokenThrottle', { type: [TokenThrottle] }),
    budgets: t.expose('budgets', { type: [Budget] }),
  }),
});

builder.queryField('flowState', (t) =>
  t.field({
    type: FlowStateType,
    args: { workflow: t.arg.string({ description: 'Only workflows of this name, of whatever app.' }) },
    resolve: (_root, { workflow }, { engine, projectId }) =>
      readFlowState(engine, { projectId, workflow: workflow ?? undefined }),
  }),
);
