import { Bookmark, Search as SearchIcon, SlidersHorizontal } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useKnownNames } from '../../data/knownNames.ts';
import { splitTag, useSuggestions, useTagSuggestions } from '../../data/suggestions.ts';
import { Button, Check, Chip, Dialog, Field, Menu, Select, SinceSelect, Status, tell } from '../../design/index.ts';
import { useProject } from '../../router/PageLink.tsx';
import styles from './RunFilters.module.css';
import { filterChips, type RunsSearch, type StatusWord } from './runsSearch.ts';
import { presets, removeView, savedViews, saveView, viewOf } from './savedViews.ts';

interface FiltersProps {
  search: RunsSearch;
  onChange: (search: RunsSearch) => void;
}

const offered: readonly StatusWord[] = [
  'failed',
  'running',
  'queued',
  'waiting',
  'paused',
  'needs_attention',
  'succeeded',
  'cancelled',
];

/** The filters of the list: each writes the URL. */
export function RunFilters({ search, onChange }: FiltersProps): ReactNode {
  const [isMoreOpen, setMoreOpen] = useState(false);
  const chips = filterChips(search).filter(({ name }) => name !== 'status');
  return (
    <div className={styles['filters']}>
      <fieldset className={styles['statuses']}>
        <legend className="unseen">Statuses</legend>
        {offered.map((word) => (
          <StatusToggle key={word} word={word} search={search} onChange={onChange} />
        ))}
      </fieldset>
      <div className={styles['line']}>
        <TextSearch search={search} onChange={onChange} />
        <WorkflowSelect search={search} onChange={onChange} />
        <SinceSelect label="Created" since={search.since} onChoose={(since) => onChange({ ...search, since })} />
        <Button icon={SlidersHorizontal} onClick={() => setMoreOpen(true)}>
          More filters
        </Button>
        <Views search={search} onChange={onChange} />
      </div>
      {chips.length > 0 && (
        <div className={styles['chips']}>
          {chips.map(({ name, value, without }) => (
            <Chip key={`${name} ${value}`} name={name} value={value} onRemove={() => onChange(without)} />
          ))}
          <Button kind="quiet" onClick={() => onChange({ sort: search.sort, dir: search.dir })}>
            Clear filters
          </Button>
        </div>
      )}
      {isMoreOpen && <MoreFilters search={search} onChange={onChange} onClose={() => setMoreOpen(false)} />}
    </div>
  );
}

function StatusToggle({ word, search, onChange }: FiltersProps & { word: StatusWord }): ReactNode {
  const chosen = search.status ?? [];
  const isChosen = chosen.includes(word);
  const toggle = (): void => {
    const next = isChosen ? chosen.filter((each) => each !== word) : [...chosen, word];
    onChange({ ...search, status: next.length > 0 ? next : undefined });
  };
  return (
    <button type="button" className={styles['status']} aria-pressed={isChosen} onClick={toggle}>
      <Status status={word.toUpperCase()} />
    </button>
  );
}

function TextSearch({ search, onChange }: FiltersProps): ReactNode {
  const [text, setText] = useState(search.q ?? '');
  useEffect(() => setText(search.q ?? ''), [search.q]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange({ ...search, q: text.trim() || undefined });
  };
  return (
    <search>
      <form className={styles['search']} onSubmit={submit}>
        <Field
          label="Workflow, app or run id"
          isBare
          type="search"
          placeholder="Workflow, app or run id"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" icon={SearchIcon} isIconOnly>
          Search
        </Button>
      </form>
    </search>
  );
}

function WorkflowSelect({ search, onChange }: FiltersProps): ReactNode {
  const { workflows } = useKnownNames(search.app);
  const names = [...new Set([...workflows, ...(search.workflow ? [search.workflow] : [])])];
  return (
    <Select
      label="Workflow"
      isBare
      value={search.workflow ?? ''}
      options={[{ value: '', label: 'All workflows' }, ...names.sort().map((name) => ({ value: name, label: name }))]}
      onChoose={(workflow) => onChange({ ...search, workflow: workflow || undefined })}
    />
  );
}

function Views({ search, onChange }: FiltersProps): ReactNode {
  const project = useProject();
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const own = savedViews(project);
  const present = viewOf(search, [...own, ...presets]);
  const isOwn = present && own.some((view) => view.name === present.name);
  return (
    <>
      <Menu
        trigger={<Button icon={Bookmark}>{present?.name ?? 'Views'}</Button>}
        entries={[
          ...presets.map((view) => ({
            label: view.name,
            isChosen: view === present,
            onSelect: () => onChange(view.search),
          })),
          ...own.map((view) => ({
            label: view.name,
            isChosen: view.name === present?.name,
            onSelect: () => onChange(view.search),
          })),
          { label: 'Save this view…', onSelect: () => setNaming(true) },
          ...(isOwn
            ? [{ label: `Remove “${present.name}”`, isDanger: true, onSelect: () => removeView(project, present.name) }]
            : []),
        ]}
      />
      <Dialog
        isOpen={isNaming}
        onClose={() => setNaming(false)}
        title="Save this view"
        description="Kept in this browser. The address of the page is its link."
        footer={
          <Button
            kind="primary"
            refusal={name.trim() ? undefined : 'a view needs a name'}
            onClick={() => {
              saveView(project, { name: name.trim(), search });
              tell(`View “${name.trim()}” saved`);
              setNaming(false);
              setName('');
            }}
          >
            Save
          </Button>
        }
      >
        <Field label="Name" autoFocus maxLength={60} value={name} onChange={(event) => setName(event.target.value)} />
      </Dialog>
    </>
  );
}

function MoreFilters({ search, onChange, onClose }: FiltersProps & { onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState(search);
  const [tag, setTag] = useState('');
  const suggested: Partial<Record<string, string[]>> = {
    app: useKnownNames().apps,
    version: useSuggestions('VERSION', { typed: draft.version ?? '' }),
    session: useSuggestions('SESSION', { typed: draft.session ?? '' }),
  };
  const tags = useTagSuggestions(tag);
  const set = (change: Partial<RunsSearch>): void => setDraft({ ...draft, ...change });
  const apply = (): void => {
    const [key, value] = splitTag(tag);
    onChange(key && value !== undefined ? { ...draft, tags: { ...draft.tags, [key]: value } } : draft);
    onClose();
  };
  const fields = [
    { name: 'app', label: 'App' },
    { name: 'version', label: 'Version' },
    { name: 'session', label: 'Session' },
    { name: 'event', label: 'Id of the event that started them' },
    { name: 'parent', label: 'Id of the parent run' },
    { name: 'replay', label: 'Id of the run that they repeat' },
  ] as const;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="More filters"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={apply}>
            Apply
          </Button>
        </>
      }
    >
      <div className={styles['more']}>
        <Field
          label="Tag"
          placeholder="key=value"
          suggestions={tags}
          value={tag}
          onChange={(event) => setTag(event.target.value)}
        />
        {fields.map(({ name, label }) => (
          <Field
            key={name}
            label={label}
            value={draft[name] ?? ''}
            suggestions={suggested[name]}
            onChange={(event) => set({ [name]: event.target.value.trim() || undefined })}
          />
        ))}
        <Field
          label="Created before"
          type="datetime-local"
          value={localInput(draft.until)}
          onChange={(event) =>
            set({ until: event.target.value ? new Date(event.target.value).toISOString() : undefined })
          }
        />
        <Check
          label="Search the text in inputs, results and errors, too"
          checked={draft.deep ?? false}
          onChange={(event) => set({ deep: event.target.checked || undefined })}
        />
        <Check
          label="Without children of other runs"
          checked={draft.roots ?? false}
          onChange={(event) => set({ roots: event.target.checked || undefined })}
        />
      </div>
    </Dialog>
  );
}

/** An instant as an input of type `datetime-local` takes it. */
function localInput(instant: string | undefined): string {
  const at = instant ? new Date(instant) : undefined;
  if (!at || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
