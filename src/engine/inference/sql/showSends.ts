import { int, json, statement, uuid } from '../../db/index.ts';

/** Tells a step that was cancelled during its call of the sends. The end of its run wrote none. */
export const showSends = statement<never>('showSends').writes({
  params: { runId: uuid, stepIndex: int, attempt: int, ai: json, usage: json.orNull },
  text: `
    update run_step set ai = $ai, usage = $usage
    where run_id = $runId and index = $stepIndex and attempt = $attempt and status = 'cancelled'
  `,
});
