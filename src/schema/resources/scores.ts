import type { ScoreRow } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import { payload } from '../machinery/payload.ts';

/** 4.10, `Score` */
export const ScoreType = builder.objectRef<ScoreRow>('Score').implement({
  description: 'A score that a run gave itself.',
  fields: (t) => ({
    id: t.exposeID('id'),
    step: t.exposeString('step', { description: 'The step that gave the score.' }),
    name: t.exposeString('name'),
    value: t.field({ type: 'JSON', nullable: true, resolve: ({ value }) => payload(value) }),
    data: t.field({
      type: 'JSON',
      description: 'The whole score, including `name` and `value`.',
      resolve: ({ data }) => payload(data),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
