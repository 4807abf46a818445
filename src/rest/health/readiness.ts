import type { EngineContext } from '../../engine/context.ts';
import { isMigrated } from '../../engine/db/migrations/index.ts';

const patienceMs = 2_000;

/** Whether requests can be served: the database answers, and holds the schema of this build. */
export class Readiness {
  readonly #engine: EngineContext;
  #looking: Promise<string | undefined> | undefined;
  #stopping = false;

  constructor(engine: EngineContext) {
    this.#engine = engine;
  }

  /** From now on nothing is ready: whoever spreads the load sends no more. */
  stop(): void {
    this.#stopping = true;
  }

  /**
   * Why not; undefined when ready. Anybody may ask, so questions at the same time share one look.
   */
  async reason(): Promise<string | undefined> {
    if (this.#stopping) return 'the service is stopping';
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), patienceMs);
    });
    try {
      const isCurrent = await Promise.race([isMigrated(this.#engine.db.pool), tooLate]);
      return isCurrent ? undefined : 'migrations are pending';
    } catch (error) {
      this.#engine.log.warn({ err: error }, 'not ready');
      return 'the database does not answer';
    } finally {
      clearTimeout(timer);
    }
  }
}
