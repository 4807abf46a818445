import type { ScoreRow } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import { payload } from '../machinery/payload.ts';

/** 4.10, `Score` */
export const ScoreType = builder.objectRef<ScoreRow>('Score').implement({
  description: 'What a run said of its own quality.',
  fields: (t) => ({
    id: t.exposeID('id'),
    step: t.exposeString('step', { description: 'The step that gave it.' }),
    name: t.exposeString('name'),
    value: t.field({ type: 'JSON', nullable: true, resolve: ({ value }) => payload(value) }),
    data: t.field({
      type: 'JSON',
      description: 'Everything that was given with it, `name` and `value` included.',
      resolve: ({ data }) => payload(data),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
