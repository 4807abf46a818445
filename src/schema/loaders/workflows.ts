import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import { selectDefinitionHeads, selectVersions, type WorkflowVersion } from '../../engine/registry/index.ts';
import type { Workflow } from '../../generated/prisma/client.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { groupBy, loadEach } from './batch.ts';
import { HeadLoader } from './payloadHeads.ts';

export interface WorkflowKey {
  app: string;
  name: string;
  /** Prisma's `select` for the fields in the document. */
  query: object;
}

export interface WorkflowLoaders {
  workflow: DataLoader<WorkflowKey, Workflow | undefined, string>;
  /** The latest versions of a workflow, newest first. */
  workflowVersions: DataLoader<VersionsKey, WorkflowVersion[] | undefined, string>;
  definitionHead: HeadLoader<VersionRef, 'definition'>;
}

interface VersionsKey {
  app: string;
  name: string;
  /** Only this version and those before it. */
  from?: string | null | undefined;
  limit: number;
}

type VersionRef = Pick<WorkflowVersion, 'app' | 'name' | 'version'>;

/** A definition may have a megabyte, so one statement reads at most a hundred. */
const definitionsAtOnce = 100;

export const createWorkflowLoaders = (
  { db }: EngineContext,
  projectId: string,
  meter: AnswerMeter,
): WorkflowLoaders => ({
  workflow: loadEach(
    async (keys) => {
      const found = new Map<string, Workflow>();
      // A document asks for the same fields at one place, so there is one group as a rule.
      for (const [query, group] of groupBy(keys, queryText)) {
        const [first] = group;
        const where = { projectId, OR: group.map(({ app, name }) => ({ app, name })) };
        const rows = await db.reading(() => db.prisma.workflow.findMany({ ...first?.query, where }));
        meter.load(rows.reduce((sum, row) => sum + rowLength(row), 0));
        for (const row of rows) found.set(cacheKey(row, query), row);
      }
      return found;
    },
    (key) => cacheKey(key, queryText(key)),
    definitionsAtOnce,
  ),
  workflowVersions: loadEach(
    async (keys) => {
      const found = new Map<string, WorkflowVersion[]>();
      for (const workflows of groupBy(keys, listOf).values()) {
        const [{ from = null, limit } = { limit: 0 }] = workflows;
        const rows = await selectVersions(db, { projectId, workflows, from, limit });
        const byWorkflow = groupBy(rows, nameOf);
        for (const key of workflows) found.set(`${nameOf(key)} ${listOf(key)}`, byWorkflow.get(nameOf(key)) ?? []);
      }
      return found;
    },
    (key) => `${nameOf(key)} ${listOf(key)}`,
  ),
  definitionHead: new HeadLoader(
    meter,
    ({ app, name, version }) => JSON.stringify([app, name, version]),
    (wanted) => selectDefinitionHeads(db, { projectId, wanted }),
  ),
});

const nameOf = ({ app, name }: { app: string; name: string }): string => JSON.stringify([app, name]);

/** What the keys of one statement have in common. */
const listOf = ({ from, limit }: VersionsKey): string => JSON.stringify([from ?? null, limit]);

const queryText = ({ query }: WorkflowKey): string => JSON.stringify(query);

const cacheKey = ({ app, name }: { app: string; name: string }, query: string): string =>
  JSON.stringify([app, name, query]);

/** The size of a row as JSON, which has no name for the `bigint` of a column of 64 bits. */
export const rowLength = (row: unknown): number =>
  JSON.stringify(row, (_name, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)).length;
