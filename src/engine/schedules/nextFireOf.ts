import type { EngineContext } from '../context.ts';
import { nextFire } from '../cron/index.ts';

/** Undefined when the schedule cannot be read, for example because this machine does not know its time zone. */
export function nextFireOf(
  { log }: Pick<EngineContext, 'log'>,
  { id, cron }: { id: string; cron: string },
  after: Date,
): Date | undefined {
  try {
    return nextFire(cron, after);
  } catch (error) {
    log.error({ error, schedule: id, cron }, 'a cron schedule cannot be read');
    return undefined;
  }
}
