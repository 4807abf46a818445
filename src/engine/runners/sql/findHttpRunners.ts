import { bigint, instant, statement } from '../../db/index.ts';

/** A runner that registered a URL. */
export interface HttpRunner {
  projectId: string;
  app: string;
  runnerId: string;
  /** The id of this registration. */
  connectionId: string;
  url: string;
  workflows: string[];
  maxInFlight: number;
  /** How long ago it was seen, by the database's clock. */
  silentMs: number;
}

/** The runners that are invoked by URL. After a day of silence a runner must register again. */
export const findHttpRunners = statement<HttpRunner>('findHttpRunners').reads({
  params: { now: instant, limit: bigint },
  text: `
    select project_id, app, runner_id, connection_id, url, workflows, max_in_flight,
      greatest(0, extract(epoch from $now - last_seen_at) * 1000)::float8 as silent_ms
    from runner
    where transport = 'http'
      and connected
      and last_seen_at > $now - interval '1 day'
    order by last_seen_at desc
    limit $limit`,
});
