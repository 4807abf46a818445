import type { EngineContext } from '../../engine/context.ts';
import { isMigrated } from '../../engine/db/migrations/index.ts';

const timeoutMs = 2_000;

/** Whether requests can be served: the database answers, and has the schema of this build. */
export class Readiness {
  readonly #engine: EngineContext;
  #check: Promise<string | undefined> | undefined;
  #stopping = false;

  constructor(engine: EngineContext) {
    this.#engine = engine;
  }

  /** Reports *not ready* from now on, so that load balancers stop sending requests. */
  stop(): void {
    this.#stopping = true;
  }

  /**
   * The reason for not being ready; undefined when ready. Concurrent calls share one check, because
   * anyone may call.
   */
  async reason(): Promise<string | undefined> {
    if (this.#stopping) return 'the service is stopping';
    this.#check ??= this.#ask().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  async #ask(): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
    });
    try {
      const isCurrent = await Promise.race([isMigrated(this.#engine.db.pool), timeout]);
      return isCurrent ? undefined : 'migrations are pending';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#engine.log.warn({ reason }, 'not ready');
      return 'the database does not answer';
    } finally {
      clearTimeout(timer);
    }
  }
}
