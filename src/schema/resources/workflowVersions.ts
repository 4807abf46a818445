import { hasUnsupportedCharacter } from '../../engine/json/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import type { WorkflowVersion } from '../../engine/registry/index.ts';
import { builder } from '../machinery/builder.ts';
import { PayloadType, viewPayload } from './payloads.ts';
import { WorkflowType } from './workflows.ts';

const WorkflowVersionType = builder.objectRef<WorkflowVersion>('WorkflowVersion').implement({
  description: 'A definition of a workflow that a runner registered once.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The hash of the definition, as runs have it.' }),
    registeredAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first registered.' }),
    definition: t.field({
      type: PayloadType,
      nullable: true,
      description: 'Its triggers, policies, retries and steps, as JSON.',
      resolve: ({ app, name, version }, _args, { loaders }, info) => {
        const heads = loaders.workflows.definitionHead;
        const of = { app, name, version };
        const text = async () => {
          const size = await heads.size(of, 'definition');
          return size === undefined ? null : heads.head(of, 'definition', { size, bytes: size });
        };
        return viewPayload({ of, column: 'definition', heads, text }, info);
      },
    }),
  }),
});

builder.prismaObjectField(WorkflowType, 'versions', (t) =>
  t.field({
    type: [WorkflowVersionType],
    description: 'The definitions that were in force, newest first.',
    args: {
      limit: t.arg.int({ description: 'Length of the list: 20 by default, at most 100.' }),
      from: t.arg.string({ description: 'Only this version and those before it. Empty if there is no such version.' }),
    },
    resolve: async ({ app, name }, { limit, from }, { loaders }) =>
      hasUnsupportedCharacter(from ?? '')
        ? []
        : ((await loaders.workflows.workflowVersions.load({
            ...{ app, name, from },
            limit: pageSize(limit, 'limit', versionSizes),
          })) ?? []),
  }),
);

const versionSizes = { default: 20, max: 100 };
