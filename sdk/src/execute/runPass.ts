import { AiDefaults } from '../ai/aiDefaults.ts';
import { NonDeterminismError, StepError } from '../errors.ts';
import type { InvokeRequest } from '../protocol.ts';
import { rootScope } from '../protocol.ts';
import { stepNameOf } from '../stepId.ts';
import type { AnyWorkflow, HandlerContext, RunInfo } from '../workflow.ts';
import type { AiSurroundings } from './aiStep.ts';
import { discoveredReply, failureReply, type PassReply, refusal, resultReply } from './answer.ts';
import type { Leftovers } from './leftovers.ts';
import { Pass, type PassSetting } from './pass.ts';
import type { PassEnd } from './passEnd.ts';
import type { Logger, PassLog } from './passLog.ts';
import { receivedEvents } from './receivedEvents.ts';
import type { FakeOf } from './runStep.ts';
import { scope } from './scope.ts';
import { stepTools } from './stepTools.ts';

export interface PassOptions extends PassSetting {
  /** Default: none. */
  readonly aiDefaults?: AiDefaults | undefined;
  /** Only in tests. */
  readonly fakeOf?: FakeOf | undefined;
}

/**
 * Runs one pass of a workflow (4.10) and builds its answer. Undefined if `signal` aborted. Never
 * rejects: an error of the handler is an answer.
 */
export async function runPass(
  workflow: AnyWorkflow | undefined,
  request: InvokeRequest,
  options: PassOptions,
): Promise<PassReply | undefined> {
  const { ctx } = request;
  if (workflow === undefined) return refusal(404, `no workflow "${ctx.workflow}" in app "${ctx.app}" on this runner`);
  if (ctx.onFailure === true && workflow.onFailure === undefined) {
    return refusal(404, `workflow "${ctx.workflow}" has no onFailure handler on this runner`);
  }
  const pass = new Pass(request, options);
  const surroundings = {
    signal: options.signal,
    aiDefaults: options.aiDefaults ?? new AiDefaults(),
    stepTimeoutMs: workflow.stepTimeoutMs,
    fakeOf: options.fakeOf,
  };
  const context = handlerContext(pass, request, surroundings);
  pass.start(() => callHandler(workflow, context, request), context.step);
  const end = await pass.end;
  if (end === undefined) return undefined;
  warnOfUnreached(pass, workflow);
  return reply({ workflow, request, pass, leftovers: options.leftovers }, end);
}

interface Ended {
  workflow: AnyWorkflow;
  request: InvokeRequest;
  pass: Pass;
  leftovers: Leftovers;
}

/** The context without what the request brings. */
type Surroundings = Omit<HandlerContext, 'event' | 'events'>;

/** Throws an `EventSchemaError` if the request brings data that no handler expects. */
function callHandler(workflow: AnyWorkflow, context: Surroundings, request: InvokeRequest): unknown {
  const { ctx } = request;
  const received = { ...context, ...receivedEvents(workflow, request) };
  if (ctx.onFailure !== true) return workflow.handler(received);
  return workflow.onFailure?.({ ...received, error: new StepError(ctx.workflow, ctx.error ?? { message: 'unknown' }) });
}

function reply({ workflow, request, pass, leftovers }: Ended, end: PassEnd): PassReply {
  const { log, reached } = pass;
  const { runId } = request.ctx;
  if (end.kind === 'discovered') {
    const { reply, rest } = discoveredReply({ ...end, reached }, request.steps, log);
    if (rest.length > 0) leftovers.keep(runId, rest);
    return reply;
  }
  const { outcome } = end;
  leftovers.forget(runId);
  warnOfUnbegun(end.unbegun, workflow, log);
  return outcome.ok ? resultReply(workflow.name, outcome.value, log) : failureReply(outcome.error, log);
}

function handlerContext(
  pass: Pass,
  request: InvokeRequest,
  { signal, ...surroundings }: Pick<AiSurroundings, 'signal' | 'aiDefaults' | 'stepTimeoutMs' | 'fakeOf'>,
): Surroundings {
  return {
    step: stepTools(pass, {
      attempts: request.ctx.stepAttempts ?? {},
      ...surroundings,
      signal,
      ai: request.ctx.ai,
      warn: (step, message) => pass.log.add('warn', step, message),
    }),
    log: logger(pass),
    run: runInfo(request, signal),
  };
}

function runInfo({ ctx }: InvokeRequest, signal: AbortSignal): RunInfo {
  const facts: Omit<RunInfo, 'signal'> = {
    id: ctx.runId,
    workflow: ctx.workflow,
    app: ctx.app,
    attempt: ctx.attempt,
    tags: ctx.tags ?? {},
    ...(ctx.runner !== '' && { runner: ctx.runner }),
    ...(ctx.session !== undefined && { session: ctx.session }),
    ...(ctx.triggerKind !== undefined && { triggerKind: ctx.triggerKind }),
    ...(ctx.replayOf !== undefined && { replayOf: ctx.replayOf }),
    ...(ctx.ai !== undefined && { ai: ctx.ai }),
    ...(ctx.traceparent !== undefined && { traceparent: ctx.traceparent }),
  };
  // Not enumerable: handlers may save or return the other facts, but a signal is not JSON.
  return Object.defineProperty({ ...facts, signal }, 'signal', { enumerable: false });
}

function logger(pass: Pass): Logger {
  const logAt =
    (level: keyof Logger) =>
    (message: string, fields?: Record<string, unknown>): void => {
      if (!pass.isOver) pass.log.add(level, scope.getStore()?.step ?? rootScope, message, fields);
    };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}

/** Warns of child runs, approvals and model calls that the handler does not await. */
function warnOfUnbegun(unbegun: readonly string[], workflow: AnyWorkflow, log: PassLog): void {
  if (unbegun.length === 0) return;
  const message =
    `workflow "${workflow.name}" ended before it awaited ${listed(unbegun)}: an unawaited child run, approval or ` +
    'model call does not begin. Await it, or emit an event that starts an independent run.';
  log.addOwn(1, 'warn', message);
}

/** At most a few of the names, quoted. */
function listed(names: readonly string[]): string {
  const some = names.slice(0, 5).map((name) => `"${name}"`);
  return `${some.join(', ')}${names.length > some.length ? ` and ${names.length - some.length} more` : ''}`;
}

/**
 * Warns of saved steps that the handler did not reach, so it diverged from an earlier pass. That
 * can be legitimate: it reads a clock, or its code was fixed during a sleep.
 */
function warnOfUnreached(pass: Pass, workflow: AnyWorkflow): void {
  const unreached = pass.unreached;
  if (unreached.length === 0) return;
  const names = unreached.map((id) => stepNameOf(id) ?? `${id.slice(0, 12)}…`);
  const message =
    `workflow "${workflow.name}" did not reach ${listed(names)}, saved in an earlier pass of this run. ` +
    'Did its steps change, or do they depend on values that vary between passes, such as the time or a ' +
    'random number? Make such decisions inside a step, and put changed steps into a workflow with a new name.';
  pass.log.addOwn(0, 'warn', new NonDeterminismError(message).toString());
}
