import { instant, statement, text, uuid } from '../../db/index.ts';

interface Row {
  digest: Buffer;
  /** JSON text. */
  done: string | null;
}

/** The claim of a call, unless it has expired. */
export const findCall = statement<Row>('findCall').reads({
  params: { now: instant, projectId: uuid, key: text, callId: text },
  text: `
    select digest, done from agent_call
    where project_id = $projectId and key = $key and call_id = $callId and expires_at > $now
  `,
});
