import { type LaneState, readLaneStates } from '../../engine/inference/index.ts';
import { builder } from '../machinery/builder.ts';
import { KeySourceEnum } from '../machinery/enums.ts';
import { FlowStateType } from './flowControl.ts';

/** The calls of one model under one key. */
export const InferenceLaneType = builder.objectRef<LaneState>('InferenceLaneState').implement({
  description: 'The calls of one model under one key of a provider. Counts end at 1000.',
  fields: (t) => ({
    provider: t.exposeString('provider'),
    model: t.exposeString('model'),
    keyFrom: t.expose('keyFrom', { type: KeySourceEnum }),
    inFlight: t.exposeInt('inFlight', { description: 'Calls of all projects that share the key.' }),
    limit: t.exposeInt('limit', {
      description: 'How many calls may be in flight. After a hold it is 1, and each success doubles it.',
    }),
    waiting: t.exposeInt('waiting', { description: 'Calls of this project that have not begun.' }),
    heldUntil: t.expose('heldUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next call may begin, if the provider is overloaded or limits the rate.',
    }),
    heldFor: t.exposeString('heldFor', {
      nullable: true,
      description: "The provider's last reason for a hold, or for a refused key, until a call succeeds.",
    }),
  }),
});

builder.objectField(FlowStateType, 'inference', (t) =>
  t.field({
    type: [InferenceLaneType],
    description: 'Calls of models, of all workflows.',
    resolve: (_state, _args, { engine, projectId }) => readLaneStates(engine, projectId),
  }),
);
