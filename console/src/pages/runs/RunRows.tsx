import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp } from 'lucide-react';
import {
  type Dispatch,
  memo,
  type ReactNode,
  type SetStateAction,
  startTransition,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import {
  Button,
  Cell,
  Duration,
  Head,
  isFinal,
  Status,
  shortId,
  Table,
  Tags,
  Time,
  useComeIn,
  visibleText,
} from '../../design/index.ts';
import { aboveRowLink, moveRowFocus, RowLink } from '../../router/RowLink.tsx';
import { type ColumnName, columns } from './columns.ts';
import styles from './RunRows.module.css';
import type { RunsSearch, SortWord } from './runsSearch.ts';
import type { RunRow, RunsList } from './useRunsList.ts';

interface RunRowsProps {
  list: RunsList;
  search: RunsSearch;
  onChange: (search: RunsSearch) => void;
  shown: readonly ColumnName[];
  chosen: ReadonlySet<string>;
  onChosen: Dispatch<SetStateAction<ReadonlySet<string>>>;
}

/** Where the rows begin on the page, in px, until they are there. */
const usualOffset = 260;

/** The rows in view, of all that are loaded; the next page loads ahead of the scroll. */
export function RunRows({ list, search, onChange, shown, chosen, onChosen }: RunRowsProps): ReactNode {
  const { pages } = list;
  // New rows are drawn piece by piece, so that a busy list stays smooth.
  const rows = useDeferredValue(list.rows);
  const box = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(usualOffset);
  useLayoutEffect(() => setOffset((box.current?.getBoundingClientRect().top ?? 0) + window.scrollY), []);
  const overscan = useOverscan();
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 37,
    overscan,
    scrollMargin: offset,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => list.noteShown(items.flatMap(({ index }) => rows[index]?.id ?? [])));
  useEffect(() => {
    // After trouble the person decides when to read on, or each change would ask again.
    if (last >= list.rows.length - 25 && !pages.trouble) pages.loadMore();
  });
  useComeIn({ count: list.newCount, show: list.showNew, box });

  const above = (items[0]?.start ?? offset) - offset;
  const below = virtualizer.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset);
  const toggle = useCallback((id: string) => onChosen((before) => toggled(before, id)), [onChosen]);
  const areAllChosen = rows.length > 0 && rows.every(({ id }) => chosen.has(id));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the links of the rows.
    <div ref={box} onKeyDown={moveRowFocus} className={styles['box']}>
      {list.newCount > 0 && (
        <div className={styles['new']}>
          <Button icon={ArrowUp} kind="primary" onClick={list.showNew}>
            {`${list.newCount >= 50 ? '50+' : list.newCount} new`}
          </Button>
        </div>
      )}
      <Table
        label="Table of runs"
        isCards
        head={
          <>
            <Head width="2.25rem">
              <input
                type="checkbox"
                className={styles['box-tick']}
                aria-label="Choose all loaded runs"
                checked={areAllChosen}
                onChange={() => onChosen(new Set(areAllChosen ? [] : rows.map(({ id }) => id)))}
              />
            </Head>
            <SortHead sort="status" search={search} onChange={onChange} width="9.5rem">
              Status
            </SortHead>
            <SortHead sort="workflow" search={search} onChange={onChange}>
              Workflow
            </SortHead>
            {columns
              .filter(({ name }) => shown.includes(name))
              .map(({ name, label }) => (
                <ColumnHead key={name} name={name} label={label} search={search} onChange={onChange} />
              ))}
          </>
        }
      >
        {above > 0 && <tr aria-hidden style={{ height: above }} />}
        {items.map(({ index }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <Row
              key={row.id}
              index={index}
              row={row}
              shown={shown}
              measure={virtualizer.measureElement}
              isChosen={chosen.has(row.id)}
              onToggle={toggle}
            />
          );
        })}
        {below > 0 && <tr aria-hidden style={{ height: below }} />}
      </Table>
      <p className={styles['end']} role="status">
        {pages.isLoadingMore ? 'Loading more…' : pages.hasMore ? '' : `${rows.length} runs: all that match`}
      </p>
    </div>
  );
}

/** Rows beyond the edges of the window: two until the first ones are painted. */
function useOverscan(): number {
  const [overscan, setOverscan] = useState(2);
  useEffect(() => {
    const frame = requestAnimationFrame(() => startTransition(() => setOverscan(12)));
    return () => cancelAnimationFrame(frame);
  }, []);
  return overscan;
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

interface SortHeadProps {
  sort: SortWord;
  search: RunsSearch;
  onChange: (search: RunsSearch) => void;
  children: ReactNode;
  width?: string;
  isNumber?: boolean;
}

function SortHead({ sort, search, onChange, ...rest }: SortHeadProps): ReactNode {
  const present = search.sort ?? 'started';
  const dir = search.dir ?? 'desc';
  const next = (): void => {
    const nextDir = present === sort ? (dir === 'desc' ? 'asc' : 'desc') : 'desc';
    onChange({ ...search, sort, dir: nextDir });
  };
  return <Head {...rest} sorted={present === sort ? dir : undefined} onSort={next} />;
}

interface ColumnHeadProps {
  name: ColumnName;
  label: string;
  search: RunsSearch;
  onChange: (search: RunsSearch) => void;
}

function ColumnHead({ name, label, search, onChange }: ColumnHeadProps): ReactNode {
  if (name === 'app' || name === 'started' || name === 'duration') {
    const isNumber = name === 'duration';
    return (
      <SortHead sort={name} search={search} onChange={onChange} isNumber={isNumber}>
        {label}
      </SortHead>
    );
  }
  return <Head isNumber={name === 'attempt'}>{label}</Head>;
}

interface RowProps {
  row: RunRow;
  index: number;
  shown: readonly ColumnName[];
  isChosen: boolean;
  onToggle: (id: string) => void;
  measure: (element: HTMLElement | null) => void;
}

const Row = memo(function Row({ row, index, shown, isChosen, onToggle, measure }: RowProps): ReactNode {
  return (
    <tr ref={measure} data-index={index} aria-selected={isChosen}>
      <Cell className={aboveRowLink}>
        <input
          type="checkbox"
          className={styles['box-tick']}
          aria-label={`Choose run ${row.id}`}
          checked={isChosen}
          onChange={() => onToggle(row.id)}
        />
      </Cell>
      <Cell>
        <Status status={row.status} />
      </Cell>
      <Cell className={styles['workflow']}>
        <RowLink to={['runs', row.id]}>{visibleText(row.workflow)}</RowLink>
      </Cell>
      {columns
        .filter(({ name }) => shown.includes(name))
        .map(({ name }) => (
          <ColumnCell key={name} name={name} row={row} />
        ))}
    </tr>
  );
});

function ColumnCell({ name, row }: { name: ColumnName; row: RunRow }): ReactNode {
  switch (name) {
    case 'app':
      return <Cell className={styles['soft']}>{visibleText(row.app)}</Cell>;
    case 'started':
      return (
        <Cell className={styles['soft']}>
          <Time at={row.startedAt ?? row.createdAt} />
        </Cell>
      );
    case 'duration':
      return (
        <Cell isNumber>
          <Duration ms={row.durationMs} since={isFinal(row.status) ? undefined : row.startedAt} />
        </Cell>
      );
    case 'tags':
      return (
        <Cell>
          <Tags tags={row.tags} />
        </Cell>
      );
    case 'error': {
      const text = row.error && visibleText((row.error.message || row.error.name || '').split('\n', 1)[0] ?? '');
      return (
        <Cell isCut className={styles['error']} title={text ?? undefined}>
          {text}
        </Cell>
      );
    }
    case 'attempt':
      return <Cell isNumber>{row.attempt}</Cell>;
    case 'version':
      return <Cell className={styles['soft']}>{row.version.slice(0, 8)}</Cell>;
    case 'id':
      return (
        <Cell className={styles['soft']}>
          <code title={row.id}>{shortId(row.id)}</code>
        </Cell>
      );
  }
}
