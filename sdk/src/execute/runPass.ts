import { AiDefaults } from '../ai/aiDefaults.ts';
import { StepError } from '../errors.ts';
import type { InvokeRequest } from '../protocol.ts';
import { rootScope } from '../protocol.ts';
import type { AnyWorkflow, HandlerContext, RunInfo } from '../workflow.ts';
import type { AiSurroundings } from './aiStep.ts';
import { type PassReply, refusal } from './answer.ts';
import { Pass, type PassSetting } from './pass.ts';
import type { Logger } from './passLog.ts';
import { receivedEvents } from './receivedEvents.ts';
import type { FakeOf } from './runStep.ts';
import { scope } from './scope.ts';
import { stepTools } from './stepTools.ts';
import { type Answered, answerOf } from './suspendedHandler.ts';

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
  return (await beginPass(workflow, request, options))?.reply;
}

/** The same, with the handler if it is suspended after the answer. */
export async function beginPass(
  workflow: AnyWorkflow | undefined,
  request: InvokeRequest,
  options: PassOptions,
): Promise<Answered | undefined> {
  const { ctx } = request;
  if (workflow === undefined) {
    return { reply: refusal(404, `no workflow "${ctx.workflow}" in app "${ctx.app}" on this runner`) };
  }
  if (ctx.onFailure === true && workflow.onFailure === undefined) {
    return { reply: refusal(404, `workflow "${ctx.workflow}" has no onFailure handler on this runner`) };
  }
  const pass = new Pass(request, options);
  const surroundings = {
    aiDefaults: options.aiDefaults ?? new AiDefaults(),
    stepTimeoutMs: workflow.stepTimeoutMs,
    fakeOf: options.fakeOf,
  };
  const context = handlerContext(pass, request, { ...surroundings, signal: options.signal });
  pass.start(() => callHandler(workflow, context, request), context.step);
  return answerOf({ workflow, ctx, pass, leftovers: options.leftovers });
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

function handlerContext(
  pass: Pass,
  request: InvokeRequest,
  { signal, ...surroundings }: Pick<AiSurroundings, 'signal' | 'aiDefaults' | 'stepTimeoutMs' | 'fakeOf'>,
): Surroundings {
  return {
    step: stepTools(pass, {
      attempts: request.ctx.stepAttempts ?? {},
      ...surroundings,
      get signal() {
        return pass.signal;
      },
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
      pass.say(level, scope.getStore()?.step ?? rootScope, message, fields);
    };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}
