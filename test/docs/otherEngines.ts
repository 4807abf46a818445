/**
 * The types of other engines, as far as the guide for people who come from them uses them. Their
 * packages are no dependencies. The guide names the versions from which these types were taken.
 */
export const otherEngines = `
declare module 'inngest' {
  interface EventType<N extends string, D> { readonly name: N; readonly schema?: Schema<D> }
  interface Schema<D> { readonly data: D }
  interface Step {
    run<T>(id: string, body: () => T): Promise<Awaited<T>>;
    sleep(id: string, time: string | number): Promise<void>;
    waitForEvent(id: string, options: { event: string; timeout: string; if?: string; match?: string }): Promise<object | null>;
  }
  interface Options<D> {
    id: string;
    triggers: EventType<string, D>[];
    retries?: 0 | 1 | 2 | 3 | 4 | 5;
    concurrency?: { limit: number; key?: string };
  }
  export function staticSchema<D>(): Schema<D>;
  export function eventType<N extends string, D>(name: N, options: { schema: Schema<D> }): EventType<N, D>;
  export class Inngest {
    constructor(options: { id: string });
    createFunction<D>(options: Options<D>, handler: (context: { event: { data: D }; step: Step }) => Promise<unknown>): object;
  }
}

declare module '@temporalio/workflow' {
  interface Signal { readonly type: 'signal'; readonly name: string }
  export function proxyActivities<A>(options: {
    startToCloseTimeout?: string | number;
    retry?: { maximumAttempts?: number };
  }): { [K in keyof A]: A[K] extends (...args: infer P) => infer R ? (...args: P) => Promise<Awaited<R>> : never };
  export function defineSignal(name: string): Signal;
  export function setHandler(signal: Signal, handler: () => void): void;
  export function condition(isMet: () => boolean, timeout: string | number): Promise<boolean>;
  export function sleep(time: string | number): Promise<void>;
}

declare module '@dbos-inc/dbos-sdk' {
  type Workflow<P extends unknown[], R> = (...args: P) => Promise<R>;
  export class DBOS {
    static runStep<T>(body: () => Promise<T>, options: { name?: string; retriesAllowed?: boolean; maxAttempts?: number }): Promise<T>;
    static recv<T>(topic: string, options: { timeoutSeconds?: number }): Promise<T | null>;
    static send<T>(workflowID: string, message: T, topic: string): Promise<void>;
    static sleep(ms: number): Promise<void>;
    static registerWorkflow<P extends unknown[], R>(body: Workflow<P, R>, options: { name?: string }): Workflow<P, R>;
    static startWorkflow<P extends unknown[], R>(
      workflow: Workflow<P, R>,
      options: { workflowID?: string },
    ): (...args: P) => Promise<{ readonly workflowID: string; getResult(): Promise<R> }>;
  }
}

declare module '@trigger.dev/sdk' {
  interface Handle<R> extends Promise<{ ok: true; output: R } | { ok: false; error: unknown }> { unwrap(): Promise<R> }
  interface Task<P, R> {
    readonly id: string;
    trigger(payload: P, options?: { concurrencyKey?: string; idempotencyKey?: string }): Promise<{ id: string }>;
    triggerAndWait(payload: P): Handle<R>;
  }
  interface Retry { maxAttempts?: number; factor?: number; minTimeoutInMs?: number; maxTimeoutInMs?: number }
  export function task<P, R>(options: {
    id: string;
    run: (payload: P) => Promise<R>;
    retry?: Retry;
    queue?: { concurrencyLimit?: number };
  }): Task<P, R>;
  export const logger: { info(message: string, fields?: Record<string, unknown>): void };
  export const wait: {
    for(time: { days: number }): Promise<void>;
    forToken<T>(id: string): Promise<{ ok: true; output: T } | { ok: false; error: Error }>;
    createToken(options: { timeout?: string }): Promise<{ id: string }>;
    completeToken<T>(id: string, value: T): Promise<{ success: true }>;
  };
}
`;
