import type { Logger } from 'pino';
import type { Pass, Unanswered } from './pass.ts';

/**
 * Tells why an invoke came to nothing: the run itself will only say that its runner did not answer.
 * A socket that is lost is no reason for a warning, runners come and go.
 */
export function logUnanswered(log: Logger, pass: Pass, { from, reason, socketLost }: Unanswered): void {
  const { runId, projectId, app, workflow } = pass;
  const runner = from?.runner ?? (pass.runner === '' ? undefined : pass.runner);
  const fields = { runId, projectId, app, workflow, runner, origin: from?.origin, reason };
  if (socketLost) log.info(fields, 'an invoke came to nothing');
  else log.warn(fields, 'an invoke came to nothing');
}
