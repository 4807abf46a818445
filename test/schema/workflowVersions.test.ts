import { expect, it } from 'vitest';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertWorkflows, query, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();

async function insertVersion(projectId: string, name: string, version: string, createdAt: string): Promise<void> {
  await test.db.query({
    text: `insert into workflow_version (project_id, app, name, version, definition, created_at)
           values ($1, 'shop', $2, $3, $4::json, $5)`,
    values: [projectId, name, version, `{"name":"${name}", "retry":{}}`, createdAt],
  });
}

it('the versions of workflows are told newest first, in one statement, with their definitions where asked for', async () => {
  const projectId = await createTestProject(test.engine);
  const other = await createTestProject(test.engine);
  for (const project of [projectId, other]) {
    await insertWorkflows(
      test.engine,
      project,
      ['a', 'b'].map((name) => ({ app: 'shop', name })),
    );
  }
  await insertVersion(projectId, 'a', 'v1', '2026-01-01T00:00:00Z');
  await insertVersion(projectId, 'a', 'v2', '2026-02-01T00:00:00Z');
  await insertVersion(projectId, 'b', 'v1', '2026-01-01T00:00:00Z');
  const { engine, statements } = recordStatements(test.engine);
  const ask = (project: string, document: string) => query(engine, secretKey(project), document);
  const versions = (fields: string, args = '') => `{ workflows { versions${args} { ${fields} } } }`;
  expect(await ask(projectId, versions('version registeredAt'))).toEqual({
    workflows: [
      {
        versions: [
          { version: 'v2', registeredAt: '2026-02-01T00:00:00.000Z' },
          { version: 'v1', registeredAt: '2026-01-01T00:00:00.000Z' },
        ],
      },
      { versions: [{ version: 'v1', registeredAt: '2026-01-01T00:00:00.000Z' }] },
    ],
  });
  expect(statements.filter((each) => !/^select /i.test(each))).toEqual(['selectVersions']);
  statements.splice(0);
  const text = (name: string) => ({ version: 'v1', definition: { bytes: 24, text: `{"name":"${name}", "retry":{}}` } });
  expect(await ask(projectId, versions('version definition { bytes text }', '(limit: 1)'))).toEqual({
    workflows: [{ versions: [{ ...text('a'), version: 'v2' }] }, { versions: [text('b')] }],
  });
  expect(statements.filter((each) => !/^select /i.test(each))).toEqual([
    'selectVersions',
    'selectDefinitionHeads',
    'selectDefinitionHeads',
  ]);
  expect(await ask(other, versions('version'))).toEqual({ workflows: [{ versions: [] }, { versions: [] }] });
  await expect(ask(projectId, versions('version', '(limit: 0)'))).rejects.toThrow('limit must be an integer');
});

it('the versions of a workflow from one on are that version and those before it', async () => {
  const projectId = await createTestProject(test.engine);
  await insertWorkflows(
    test.engine,
    projectId,
    ['a', 'b'].map((name) => ({ app: 'shop', name })),
  );
  for (const [version, month] of [
    ['v1', '01'],
    ['v2', '02'],
    ['w2', '02'],
    ['v3', '03'],
  ] as const)
    await insertVersion(projectId, 'a', version, `2026-${month}-01T00:00:00Z`);
  await insertVersion(projectId, 'b', 'v2', '2026-01-01T00:00:00Z');
  const { engine, statements } = recordStatements(test.engine);
  const from = async (version: string, limit = 20) => {
    const document =
      'query ($from: String, $limit: Int) { workflows { versions(from: $from, limit: $limit) { version } } }';
    const { workflows } = await query(engine, secretKey(projectId), document, { from: version, limit });
    return (workflows as { versions: { version: string }[] }[]).map(({ versions }) =>
      versions.map((each) => each.version),
    );
  };
  expect(await from('v2')).toEqual([['v2', 'w2', 'v1'], ['v2']]);
  expect(statements.filter((each) => !/^select /i.test(each))).toEqual(['selectVersions']);
  expect(await from('v3', 2)).toEqual([['v3', 'v2'], []]);
  expect(await from('nothing')).toEqual([[], []]);
  expect(await from('\u0000')).toEqual([[], []]);
});
