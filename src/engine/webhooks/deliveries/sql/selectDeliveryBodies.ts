import { bigint, statement, uuid } from '../../../db/index.ts';
import { anySize, type Sized } from '../../../paging/index.ts';
import { stepDurationSql, terminalStatuses } from '../../../runs/index.ts';

export interface DeliveryBody extends Sized {
  id: string;
  /** JSON text: exactly what is sent. Null if it was not read. */
  payload: string | null;
}

const instantSql = (column: string): string =>
  `'"' || to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`;

/** SQL: `,"name":value`, or nothing if the value is null. */
const optionalSql = (name: string, value: string): string => `coalesce(',"${name}":' || ${value}, '')`;

const textSql = (column: string): string => `to_json(${column})::text`;

const hasEnded = `d.run_status in (${terminalStatuses.map((each) => `'${each}'`).join(', ')})`;
const ifEnded = (value: string): string => `case when ${hasEnded} then ${value} end`;

const runDuration = '(extract(epoch from r.ended_at - coalesce(r.started_at, r.created_at)) * 1000)';

/** The fields before the run's payloads, up to an open brace. */
const headSql = `'{"id":"' || d.id || '","kind":"' || d.event_kind || '","ts":' || ${instantSql('d.created_at')}
            || ',"run":{"id":"' || r.id || '","app":' || ${textSql('r.app')} || ',"workflow":' || ${textSql('r.workflow')}
            || ',"status":"' || d.run_status || '","triggerKind":"' || r.trigger_kind || '"'
            || ${optionalSql('eventName', textSql('r.event_name'))}
            || ${optionalSql('eventId', textSql('r.event_id'))}
            || ${optionalSql('tags', `nullif(r.tags, '{}')::text`)}`;

/** The run's other fields, after its payloads. */
const tailSql = `',"createdAt":' || ${instantSql('r.created_at')}
            || ${optionalSql('startedAt', instantSql('r.started_at'))}
            || ${optionalSql('endedAt', ifEnded(instantSql('r.ended_at')))}
            || ${optionalSql('durationMs', ifEnded(`${runDuration}::bigint::text`))} || '}'`;

const stepHeadSql = `',"step":{"name":' || ${textSql('name')} || ',"index":' || index || ',"attempt":' || attempt
              || ',"status":"' || status || '"'`;

const stepDuration = `case when status = 'skipped' then 0 else ${stepDurationSql} end`;

/**
 * The bodies of deliveries (6.2). The body of a lifecycle delivery is composed of its run and its
 * step: all that it tells never changes again, except for the run's status, which the delivery
 * keeps. Payloads are inserted as text, because they may hold what no `jsonb` can. Custom sends and
 * tests have a body of their own. Bodies are read in the order of their ids as given, up to the
 * bound.
 */
export const selectDeliveryBodies = statement<DeliveryBody>('selectDeliveryBodies').reads({
  params: {
    ids: uuid.list,
    /** Absent: of all projects, for their sender. */
    projectId: uuid.orNull,
    /** Bytes to read at most. */
    maxBytes: bigint.of(({ maxBytes = anySize }: { maxBytes?: number }) => maxBytes),
  },
  text: `select id, bytes, upto <= $maxBytes as is_read,
           case when upto > $maxBytes then null when payload is not null then payload::text
             else head || ${optionalSql('result', 'result::text')} || ${optionalSql('error', 'run_error::text')} || tail
               || coalesce(step_head || ${optionalSql('output', 'output::text')}
                 || ${optionalSql('error', 'step_error::text')} || step_tail, '') || '}' end as payload
         from (
           select sized.*, sum(bytes) over (order by n rows unbounded preceding) as upto
           from (
             select wanted.*, coalesce(octet_length(payload::text), octet_length(head) + octet_length(tail)
                      + coalesce(octet_length(step_head), 0) + coalesce(octet_length(result::text), 0)
                      + coalesce(octet_length(run_error::text), 0) + coalesce(octet_length(output::text), 0)
                      + coalesce(octet_length(step_error::text), 0)) as bytes
             from (
               select i.n, d.id, d.payload, ${headSql} as head, ${ifEnded('r.result')} as result,
                 ${ifEnded('r.error')} as run_error, ${tailSql} as tail, step.*
               from unnest($ids) with ordinality as i(id, n)
               join webhook_delivery d on d.id = i.id
               left join run r on r.id = d.run_id
               left join lateral (
                 select ${stepHeadSql} as step_head, output, case when status = 'failed' then error end as step_error,
                   ',"durationMs":' || ${stepDuration} || '}' as step_tail
                 from run_step s
                 where s.run_id = d.run_id and s.index = d.step_index and s.attempt = d.step_attempt
               ) step on true
               where d.project_id = coalesce($projectId, d.project_id)
             ) wanted
           ) sized
         ) bounded`,
});
