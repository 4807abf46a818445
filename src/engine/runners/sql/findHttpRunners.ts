import { statement } from '../../db/index.ts';

/** A runner that registered a URL. */
export interface HttpRunner {
  projectId: string;
  app: string;
  runnerId: string;
  /** Of this registration. */
  connectionId: string;
  url: string;
  workflows: string[];
  maxInFlight: number;
  /** How long ago it was seen, by the database's clock. */
  silentMs: number;
}

/** Runners that are invoked by URL; one that was silent for a day is taken for gone until it registers again. */
export const findHttpRunners = statement<{ now: Date | null; limit: number }, HttpRunner>({
  name: 'findHttpRunners',
  writes: false,
  text: `
    select project_id as "projectId", app, runner_id as "runnerId", connection_id as "connectionId", url, workflows,
      max_in_flight as "maxInFlight",
      greatest(0, extract(epoch from coalesce($1::timestamptz, now()) - last_seen_at) * 1000)::float8 as "silentMs"
    from runner
    where transport = 'http'
      and connected
      and last_seen_at > coalesce($1::timestamptz, now()) - interval '1 day'
    order by last_seen_at desc
    limit $2`,
  values: ({ now, limit }) => [now, limit],
});
