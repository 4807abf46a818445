import { getRouteApi } from '@tanstack/react-router';
import { Ban, Columns3, GitCompareArrows, RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Answer, Button, Check, Code, Dialog, Empty, Panel } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { BulkDialog, type BulkKind } from './BulkDialog.tsx';
import { type ColumnName, chooseColumns, chosenColumns, columns } from './columns.ts';
import { RunFilters } from './RunFilters.tsx';
import { RunRows } from './RunRows.tsx';
import styles from './RunsPage.module.css';
import { filterChips, type RunsSearch } from './runsSearch.ts';
import { useRunsList } from './useRunsList.ts';

const route = getRouteApi('/p/$project/runs');

/** The list of runs. Its state is the URL. */
export default function RunsPage(): ReactNode {
  useTitle('Runs');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: RunsSearch): void => void navigate({ search: next });
  const list = useRunsList(search);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<BulkKind>();
  const [shown, setShown] = useState(chosenColumns);
  const [isChoosing, setChoosing] = useState(false);
  const isFiltered = filterChips(search).length > 0;
  return (
    <>
      <header className={styles['head']}>
        <h1>Runs</h1>
        <div className={styles['actions']}>
          {chosen.size > 0 && <CompareButton chosen={[...chosen]} />}
          <BulkButtons chosen={chosen.size} onOpen={setBulk} />
          <Button icon={Columns3} onClick={() => setChoosing(true)}>
            Columns
          </Button>
        </div>
      </header>
      <RunFilters search={search} onChange={change} />
      <Panel title="Runs" hasHiddenTitle isFlush>
        <Answer
          read={list.pages}
          skeleton={{ rows: 14 }}
          isEmpty={() => list.rows.length === 0 && list.newCount === 0}
          nothingMatches={isFiltered && <NothingMatches search={search} onChange={change} />}
          empty={<NoRuns />}
        >
          {() => (
            <RunRows list={list} search={search} onChange={change} shown={shown} chosen={chosen} onChosen={setChosen} />
          )}
        </Answer>
      </Panel>
      {bulk && (
        <BulkDialog
          kind={bulk}
          search={search}
          chosen={chosen}
          onClose={() => setBulk(undefined)}
          onDone={(bulkId) => {
            setBulk(undefined);
            setChosen(new Set());
            if (bulkId) change({ bulk: bulkId });
          }}
        />
      )}
      <ColumnDialog
        isOpen={isChoosing}
        shown={shown}
        onChange={(names) => {
          setShown(names);
          chooseColumns(names);
        }}
        onClose={() => setChoosing(false)}
      />
    </>
  );
}

function CompareButton({ chosen: [a, b, ...more] }: { chosen: readonly string[] }): ReactNode {
  const go = useGo();
  const refusal = b === undefined || more.length > 0 ? 'choose two runs' : undefined;
  return (
    <Button icon={GitCompareArrows} refusal={refusal} onClick={() => go(['runs', 'compare'], { a, b })}>
      Compare
    </Button>
  );
}

function BulkButtons({ chosen, onOpen }: { chosen: number; onOpen: (kind: BulkKind) => void }): ReactNode {
  const scope = chosen > 0 ? `${chosen} chosen` : 'all matching';
  return (
    <>
      <Button icon={RotateCcw} refusal={useRefusal('start')} onClick={() => onOpen('replay')}>
        {`Replay ${scope}`}
      </Button>
      <Button icon={Ban} refusal={useRefusal('write')} onClick={() => onOpen('cancel')}>
        {`Cancel ${scope}`}
      </Button>
    </>
  );
}

function NothingMatches({ search, onChange }: { search: RunsSearch; onChange: (next: RunsSearch) => void }): ReactNode {
  return (
    <Empty
      title="No run matches these filters"
      actions={filterChips(search).map(({ name, value, without }) => (
        <Button key={`${name} ${value}`} onClick={() => onChange(without)}>
          {`Drop ${name}: ${value}`}
        </Button>
      ))}
    />
  );
}

function NoRuns(): ReactNode {
  return (
    <Empty title="No run has started yet">
      <p>An event, a schedule or a trigger starts runs. This command sends an event:</p>
      <Code
        what="command"
        text={`curl -X POST ${location.origin}/events -H "Authorization: Bearer $HOLDFAST_API_KEY" \\\n  -H "Content-Type: application/json" -d '{"name": "hello", "data": {}}'`}
      />
    </Empty>
  );
}

interface ColumnDialogProps {
  isOpen: boolean;
  shown: readonly ColumnName[];
  onChange: (names: ColumnName[]) => void;
  onClose: () => void;
}

function ColumnDialog({ isOpen, shown, onChange, onClose }: ColumnDialogProps): ReactNode {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Columns" description="Kept in this browser.">
      <div className={styles['columns']}>
        {columns.map(({ name, label }) => (
          <Check
            key={name}
            label={label}
            checked={shown.includes(name)}
            onChange={(event) =>
              onChange(
                columns
                  .map((column) => column.name)
                  .filter((each) => (each === name ? event.target.checked : shown.includes(each))),
              )
            }
          />
        ))}
      </div>
    </Dialog>
  );
}
