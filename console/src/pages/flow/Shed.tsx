import type { ReactNode } from 'react';
import { useRead } from '../../data/queries.ts';
import { Answer, Cell, countText, Empty, Head, Panel, Select, Table } from '../../design/index.ts';
import { instantOf } from '../../router/searchFields.ts';
import { shedDocument } from './flowDocuments.ts';
import { shedRows } from './flowFacts.ts';
import type { FlowSearch } from './flowSearch.ts';
import { WorkflowCell, WorkflowColumn } from './names.tsx';

const ranges = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
] as const;

const columns = [
  ['matched', 'Matched'],
  ['deduped', 'Deduplicated'],
  ['skipped', 'Skipped'],
  ['dropped', 'Dropped'],
  ['debounced', 'Debounced'],
  ['batched', 'Batched'],
] as const;

/** Starts that gates withheld or gathered, by workflow. */
export function Shed({ search, onChange }: { search: FlowSearch; onChange: (search: FlowSearch) => void }): ReactNode {
  const range = search.shed ?? '1h';
  const variables = { app: search.app, workflow: search.workflow, since: instantOf(range) ?? '' };
  const read = useRead(shedDocument, variables, { pollMs: 60_000 });
  return (
    <Panel
      title="Withheld starts"
      isFlush
      actions={
        <Select
          label="Events of the"
          isBare
          value={range}
          options={ranges}
          onChoose={(shed) => onChange({ ...search, shed: shed === '1h' ? undefined : shed })}
        />
      }
    >
      <Answer
        read={read}
        isEmpty={({ flowState }) => shedRows(flowState.shed).length === 0}
        empty={
          <Empty title="No start was withheld in this time">
            <p>Counted are events of which a gate kept a run from starting.</p>
          </Empty>
        }
      >
        {({ flowState }) => (
          <Table
            label="Withheld starts, by workflow"
            head={
              <>
                <WorkflowColumn />
                {columns.map(([name, label]) => (
                  <Head key={name} isNumber>
                    {label}
                  </Head>
                ))}
              </>
            }
          >
            {shedRows(flowState.shed).map((row) => (
              <tr key={JSON.stringify([row.app, row.workflow])}>
                <WorkflowCell app={row.app} workflow={row.workflow} />
                {columns.map(([name]) => (
                  <Cell key={name} isNumber>
                    {countText(row[name])}
                  </Cell>
                ))}
              </tr>
            ))}
          </Table>
        )}
      </Answer>
    </Panel>
  );
}
