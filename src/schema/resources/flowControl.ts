import type { FlowControl } from '@holdfast/sdk/protocol';
import { type ShownField, type StateQuestion, shownFields, titled } from '../../engine/flow/index.ts';
import {
  type FlowState,
  policyNames,
  policyOf,
  policyStates,
  readFlowState,
} from '../../engine/flow/policies/index.ts';
import { builder } from '../machinery/builder.ts';
import { inCapitals } from '../machinery/enums.ts';

type Shown = Parameters<typeof shownFields>[0];

/** By title, because policies may share a type. */
const shownTypes = new Map<string, ReturnType<typeof makeType>>();

/** The type of a policy, or of a row of its state, as the policy declares it. */
function shownType(shown: Shown) {
  const { title } = titled(shown);
  const known = shownTypes.get(title) ?? makeType(shown);
  shownTypes.set(title, known);
  return known;
}

const makeType = (shown: Shown) =>
  builder.objectRef<object>(titled(shown).title).implement({
    description: titled(shown).description,
    fields: (t) =>
      Object.fromEntries(
        shownFields(shown).map(({ name, kind, isOptional, description }) => [
          name,
          t.field({
            type: outputOf(kind),
            nullable: isOptional,
            description,
            resolve: (row) => Reflect.get(row, name),
          }),
        ]),
      ),
  });

function outputOf(kind: ShownField['kind']) {
  if (typeof kind === 'object') return builder.enumType(kind.title, { values: inCapitals(kind.words) });
  return ({ number: 'Float', text: 'String', instant: 'DateTime' } as const)[kind];
}

export const FlowControlType = builder.objectRef<FlowControl>('FlowControl').implement({
  description: 'Policies as registered; one that is present is active. Milliseconds and counts may exceed 32 bits.',
  fields: (t) =>
    Object.fromEntries(
      policyNames.map((name) => [
        name,
        t.field({ type: shownType(policyOf(name).settings), nullable: true, resolve: (policies) => policies[name] }),
      ]),
    ),
});

const Ceiling = builder.objectRef<FlowState['concurrency']>('FlowCeilingState').implement({
  description: "The project's ceiling.",
  fields: (t) => ({
    limit: t.exposeFloat('limit', { description: 'Runs that may execute at once; 0 is unlimited.' }),
    inUse: t.exposeFloat('inUse', { description: 'Runs that execute now.' }),
  }),
});

/** 4.9 */
export const FlowStateType = builder.objectRef<FlowState & { question: StateQuestion }>('FlowState').implement({
  description:
    'The starts and runs that flow control holds back now. Each list has at most 1000 rows, the fullest first.',
  fields: (t) => ({
    concurrency: t.expose('concurrency', { type: Ceiling }),
    ...Object.fromEntries(
      policyStates.map(({ field, row, description }) => [
        field,
        t.field({ type: [shownType(row)], description, resolve: (state) => Reflect.get(state, field) }),
      ]),
    ),
  }),
});

builder.queryField('flowState', (t) =>
  t.field({
    type: FlowStateType,
    args: {
      workflow: t.arg.string({ description: 'Only workflows of this name.' }),
      app: t.arg.string({ description: 'Only workflows of this app.' }),
    },
    resolve: async (_root, { workflow, app }, { engine, projectId }) => {
      const question = { projectId, workflow: workflow ?? undefined, app: app ?? undefined };
      return { ...(await readFlowState(engine, question)), question };
    },
  }),
);
