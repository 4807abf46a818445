import type { Logger } from 'pino';
import type { Pass, Unanswered } from './pass.ts';

/**
 * Logs why an invoke went unanswered. The run only says that its runner did not answer. A lost
 * socket is no reason for a warning, because runners come and go.
 */
export function logUnanswered(log: Logger, pass: Pass, { from, reason, socketLost }: Unanswered): void {
  const { runId, projectId, app, workflow } = pass;
  const runner = from?.runner ?? (pass.runner === '' ? undefined : pass.runner);
  const fields = { runId, projectId, app, workflow, runner, origin: from?.origin, reason };
  if (socketLost) log.info(fields, 'invoke unanswered');
  else log.warn(fields, 'invoke unanswered');
}
