import { addListed } from '../listRows.ts';
import { onStage } from '../stage.ts';
import { spread } from '../stats.ts';
import { defineWorkload } from './workload.ts';

export const lists = defineWorkload({
  name: 'lists',
  summary: 'the largest pages of events and sessions, and a page of runs and of one event beside them',
  sizes: { events: 1_000, sessions: 500, reads: 40, warmUp: 10 },
  smoke: { events: 20, sessions: 10, reads: 3, warmUp: 1 },
  measure: ({ events, sessions, reads, warmUp }, options) =>
    onStage(options, async (stage) => {
      await addListed(stage.database, { events, sessions });
      const asked = {
        events: `/events?limit=${events}`,
        event: '/events?limit=1',
        sessions: `/sessions?limit=${sessions}`,
        session: '/sessions?limit=1',
        runs: '/runs?limit=200',
      };
      // In turn, so that other load affects all alike.
      const times = new Map(Object.keys(asked).map((name) => [name, [] as number[]]));
      for (let turn = 0; turn < warmUp + reads; turn += 1)
        for (const [name, path] of Object.entries(asked)) {
          const ms = await stage.client.read(path);
          if (turn >= warmUp) times.get(name)?.push(ms);
        }
      return Object.fromEntries([...times].map(([name, ms]) => [`${name}Ms`, spread(ms)]));
    }),
});
