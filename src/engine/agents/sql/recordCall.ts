import { json, statement, text, uuid } from '../../db/index.ts';

/** Records the outcome of a claimed call. */
export const recordCall = statement<Record<string, never>>('recordCall').writes({
  params: { projectId: uuid, key: text, callId: text, claim: uuid, done: json },
  text: `
    update agent_call set done = $done
    where project_id = $projectId and key = $key and call_id = $callId and claim = $claim
  `,
});
